"""What image transforms share: kinds of images, resampling tables, colour arithmetic, Pillow."""
