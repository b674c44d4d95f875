"""A moment enters; whether everything is all right leaves: what failed, is late, broke, changed or fell silent.

Each part bounds its work, remembers what it found, and says when it hasn't looked at everything yet.
"""
