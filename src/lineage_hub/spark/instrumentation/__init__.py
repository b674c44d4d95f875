"""A Spark session enters; what the program around it writes is told from then on, as runs, without a change to it.

Nothing is put into the JVM: pyspark's own classes are followed, and Spark is asked for the plan of what comes.
"""

from lineage_hub.spark.instrumentation.switching import Handle, instrument

__all__ = ["Handle", "instrument"]
