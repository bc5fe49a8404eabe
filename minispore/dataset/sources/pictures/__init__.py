"""Sources of pictures in files, a family per file; ``table`` is what all of them read with."""
