"""Databricks' pipelines, jobs and notebooks enter; lineage from topics to tables leaves."""
