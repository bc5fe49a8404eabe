"""File formats: any input bytes give either correct data or one clear error."""
