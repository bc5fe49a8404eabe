"""Data flow through a function: which branches run, and which values are read later."""
