"""Losses: over classes, element by element, over sequences."""
