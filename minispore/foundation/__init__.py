"""Foundation: modules that serve every other package and know none of them.

Argument checks, atomic files, child processes, docstrings, lazy imports, text tables, and the wire
format of protocol buffers. What knows tensors, operators or settings does not belong here.
"""
