"""The core: data types, tensors, primitives, both interpreters and automatic differentiation."""
