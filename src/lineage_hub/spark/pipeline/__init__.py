"""A pipeline enters as data, extract, transform and load stages; its runs, with lineage, quality and a trace, leave."""
