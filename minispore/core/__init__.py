"""The grammar: data types, tensors, primitives, both interpreters and automatic gradients."""
