"""What convolutions and pools are lowered to: windows, columns, planes."""
