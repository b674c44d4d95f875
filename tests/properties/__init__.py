"""What must hold for every history of events, put to real hubs over HTTP."""
