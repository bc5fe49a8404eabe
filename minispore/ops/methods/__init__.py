"""What only a Tensor has: spelled methods, copies, changes in place."""
