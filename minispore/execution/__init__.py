"""How kernels run fast: plans and bound calls, memory orders, half floats, threads, processes."""
