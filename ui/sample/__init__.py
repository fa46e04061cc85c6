"""The Sample page."""
