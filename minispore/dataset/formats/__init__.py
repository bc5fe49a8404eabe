"""Binary file formats: any bytes give right data or one clear error."""
