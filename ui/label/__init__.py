"""The page on which people label a queue of answers."""
