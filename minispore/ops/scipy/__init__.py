"""Functions with SciPy's names and conventions: the implementation of ``mindspore.scipy``."""
