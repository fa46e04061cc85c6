"""Benchmarks: they measure and print, and assert nothing about time."""
