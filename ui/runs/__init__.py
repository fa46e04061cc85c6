"""The Runs page, and a run at work on every page."""
