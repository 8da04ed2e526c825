"""Data in and out: recorded seasons in, exports out."""
