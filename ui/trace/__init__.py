"""The TRACE page, and the labels that the Sample page shows."""
