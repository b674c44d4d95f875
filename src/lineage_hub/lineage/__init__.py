"""Rows of events enter, lineage leaves: pure functions on values, no I/O.

docs/fold.md says what each of them must give.
"""
