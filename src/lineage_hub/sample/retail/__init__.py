"""A seed and a size enter; the raw files of an invented shop leave, as messy as such files are, and its pipeline."""

from lineage_hub.sample.retail.files import Day, write_day
from lineage_hub.sample.retail.pipeline import PIPELINE

__all__ = ["PIPELINE", "Day", "write_day"]
