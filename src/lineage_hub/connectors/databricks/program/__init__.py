"""Python programs enter as text; what they read and write leaves, found by symbolic evaluation and never by running them."""
