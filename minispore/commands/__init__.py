"""What ``python -m minispore`` can do besides running and checking a script."""
