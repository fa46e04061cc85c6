"""Round: a class labels answers together; the form, the wall, and what each participant sees."""
