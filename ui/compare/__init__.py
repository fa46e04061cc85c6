"""The page that lays two systems side by side."""
