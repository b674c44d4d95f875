"""Work on Spark: pipelines, and the lineage of any PySpark program. The only place that imports pyspark."""
