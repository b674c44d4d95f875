"""A shop of any size, its daily work in bare PySpark, and the same work as a pipeline."""
