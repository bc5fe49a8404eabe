"""Optimizer update ops: they change a variable and its moments in place."""
