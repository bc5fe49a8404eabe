"""One element in, one element out: arithmetic, comparisons, activations, special functions."""
