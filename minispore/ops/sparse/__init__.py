"""Operators on sparse tensors given by their components: coordinates, values and a shape."""
