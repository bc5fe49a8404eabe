"""The engine: nodes, passes over them, and workers. It knows nothing of files or tensors."""
