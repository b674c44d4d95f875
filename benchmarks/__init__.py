"""One program for each claim about speed, size and start-up. README.md holds the last results."""
