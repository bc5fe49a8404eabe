"""Foundation: modules that every other package uses and that depend on no other package.

Argument checks, atomic files, child processes, docstrings, lazy imports, text tables, and the wire
format of protocol buffers. Code that depends on tensors, operators or settings does not belong
here.
"""
