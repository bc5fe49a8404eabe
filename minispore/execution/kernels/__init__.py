"""Kernels: plans, steps, saved intermediates, bound calls and BLAS functions."""
