"""The bounds of speed as counts, which noise can't blur."""
