"""The main journeys in a real browser against a real server."""
