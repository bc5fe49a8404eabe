"""Several threads or processes for one step: who computes (thread_pool), and what (tiles)."""
