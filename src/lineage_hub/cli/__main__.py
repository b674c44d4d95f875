"""`python -m lineage_hub.cli` enters where the command isn't on the path; it does what `lineage-hub` does."""

from lineage_hub.cli import main

main()
