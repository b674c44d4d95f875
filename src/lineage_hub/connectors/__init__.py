"""Other systems enter through their APIs and their code; lineage leaves as OpenLineage events."""
