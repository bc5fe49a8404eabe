"""The constants of devices, a family per file."""
