"""Columns of spans, points of metrics and logs enter and are durable; rows leave, asked for in ClickHouse's SQL.

One set of tables serves a ClickHouse server and the engine of ClickHouse in a child process of the hub.
"""
