"""The model of a device: predicted times, memory and overlaps of programs, on a virtual clock."""
