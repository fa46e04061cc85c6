"""A run or a comparison as one HTML page that stands on its own."""
