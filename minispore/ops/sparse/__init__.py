"""Operators on sparse tensors represented by their components: coordinates, values and a shape."""
