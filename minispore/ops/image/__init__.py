"""Ops on images and boxes: colours, resizing, sampling at points, detection."""
