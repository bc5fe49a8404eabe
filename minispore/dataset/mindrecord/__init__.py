"""MindRecord files from the user's side: writing, reading, and making them of other data sets."""
