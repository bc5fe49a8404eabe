"""Random ops; seeds determine the streams that they draw from."""
