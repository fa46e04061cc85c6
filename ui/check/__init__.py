"""The page that checks a labeller: how far it can be trusted, by labels of people."""
