"""Every page, empty, filled and with broken input."""
