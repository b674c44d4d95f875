"""Events enter and are durable; rows about jobs, datasets, runs and shapes leave.

One set of SQLAlchemy Core statements serves SQLite (embedded) and PostgreSQL.
"""
