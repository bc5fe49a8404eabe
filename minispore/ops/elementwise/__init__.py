"""Element-wise ops: arithmetic, comparisons, activations, special functions."""
