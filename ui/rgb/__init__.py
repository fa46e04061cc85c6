"""The RGB page."""
