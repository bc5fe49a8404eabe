"""Kernels: plans, steps, saved intermediates, bound calls, and functions of BLAS."""
