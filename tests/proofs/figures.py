"""What a proof has counted enters; one flat JSON object leaves, in the folder that LINEAGE_HUB_FIGURES names."""

import json
import os
from pathlib import Path

Figure = str | int | float | bool


def write_figures(name: str, sentence: str, **figures: Figure) -> None:
    """`sentence` says what was shown; without the folder nothing is written."""
    folder = os.environ.get("LINEAGE_HUB_FIGURES")
    if folder:
        Path(folder, f"{name}.json").write_text(json.dumps({"proof": sentence, **figures}) + "\n")
