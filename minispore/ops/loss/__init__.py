"""Loss functions: over classes, element-wise, over sequences."""
