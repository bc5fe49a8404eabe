"""The grammar: data types, tensors, primitives, the two interpreters and automatic
differentiation.
"""
