"""Learn: short lessons that are played, and what every value, rule and word means."""
