"""The Datasets page: where data comes from, and what is in it."""
