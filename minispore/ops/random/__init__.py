"""Random ops, whose streams the seeds begin."""
