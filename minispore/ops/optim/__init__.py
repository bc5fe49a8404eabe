"""Optimizer updates: a variable and its moments changed in place."""
