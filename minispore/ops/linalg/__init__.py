"""Matrix ops: products, solvers, decompositions, norms, diagonals, Fourier transforms."""
