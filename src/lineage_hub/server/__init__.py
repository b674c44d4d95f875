"""HTTP requests enter; the answers of ingest and query leave as JSON.

Routes parse, call and render, nothing more.
"""
