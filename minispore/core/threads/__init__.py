"""Several threads for one step: who computes (crew), and what (tiles)."""
