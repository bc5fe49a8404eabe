"""The constants of devices, one family per file."""
