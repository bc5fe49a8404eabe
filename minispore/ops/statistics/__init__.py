"""Reductions, scans, sorting, counting and deviations."""
