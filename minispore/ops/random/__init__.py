"""Random draws, keyed by seed."""
