"""Telemetry on its way into the store: batches, each request once, durable before it is answered."""
