"""Parsing apart: what strangers sent is read by a child process that can be ended."""
