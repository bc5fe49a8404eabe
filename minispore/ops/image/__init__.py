"""Images and boxes: colours, resizing, sampling at points, detection."""
