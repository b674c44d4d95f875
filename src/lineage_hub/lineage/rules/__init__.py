"""Rules of users enter as JSON; what they make of names and facets leaves, as pure functions of an event's text."""
