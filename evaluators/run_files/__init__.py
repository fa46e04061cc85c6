"""A run as one file, to be handed over: written from a store, opened in another."""
