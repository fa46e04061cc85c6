"""Batches over files: their place among the runs, their page, and the rows in their files."""
