"""The door for Python: `evaluate` and its results."""
