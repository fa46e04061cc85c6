"""What TRACE methods share: labels, definitions, the heuristic's evidence, juries, patterns."""
