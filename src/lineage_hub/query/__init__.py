"""Questions enter with a scope and a moment, answers in the shapes of Marquez's API leave.

One module for each question; `Snapshot` is what they all read from.
"""
