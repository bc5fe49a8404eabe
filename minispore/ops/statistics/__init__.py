"""What summarises a tensor: reductions, scans, order, counts, deviations."""
