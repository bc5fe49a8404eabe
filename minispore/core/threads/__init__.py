"""Several threads for one step: who computes (crew), what (tiles), and BLAS's own threads."""
