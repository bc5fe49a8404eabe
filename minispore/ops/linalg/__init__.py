"""Matrices: products, solvers, decompositions, norms, diagonals, Fourier transforms."""
