"""Bodies of requests enter, durable events and dead letters leave.

`Intake` is the only way in, whichever route or queue an event came by.
"""
