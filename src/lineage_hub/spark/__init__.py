"""Spark work enters: DataFrames, plans, pipelines; lineage, quality and traces of it leave.

This package is the only one that imports pyspark; `pip install 'lineage-hub[spark]'` brings it.
"""
