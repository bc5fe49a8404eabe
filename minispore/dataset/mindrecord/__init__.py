"""The public API of MindRecord files: writing, reading, and converting other datasets."""
