"""The pages that lay systems side by side."""
