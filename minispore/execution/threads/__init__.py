"""Several threads or processes for one step: the workers (thread_pool, worker_processes) and their
work (tiles).
"""
