"""Fast kernel execution: plans, bound calls, memory order, half precision, threads, processes."""
