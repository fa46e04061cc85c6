"""A class labels answers together: what a round is, its codes, and what comes of its labels."""
