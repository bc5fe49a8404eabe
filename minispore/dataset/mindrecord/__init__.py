"""The public side of MindRecord files: writing, reading, and converting other data sets."""
