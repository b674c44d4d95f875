"""The tests' oracle: docs/fold.md read a second time, slow and plain, sharing no code with the product."""
