"""Benchmarks: ``python -m benchmarks NAME``. Each prints what it measured, and on what."""
