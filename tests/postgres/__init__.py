"""Hubs as processes of their own on a real PostgreSQL: several on one database, and databases in trouble."""
