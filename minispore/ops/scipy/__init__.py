"""Linear algebra by SciPy's names and conventions: what ``mindspore.scipy`` is."""
