"""Lineage Hub: OpenLineage events enter, one graph of lineage as of any time leaves.

Importing this package loads nothing else, so that a program that only sends events starts quickly.
"""

__version__ = "0.1.0"
