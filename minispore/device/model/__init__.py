"""The model of a device: what it costs, holds and overlaps, on a virtual clock."""
