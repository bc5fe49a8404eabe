"""Commands of ``python -m minispore`` besides running and checking a script."""
