"""Binary file formats: whatever the bytes are, right data or one clear error."""
