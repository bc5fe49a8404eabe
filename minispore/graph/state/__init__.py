"""The Python state that a function reads: where it is, what it holds, whether it changed."""
