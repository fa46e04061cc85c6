"""The same work from a terminal: `python -m evaluators --help`."""
