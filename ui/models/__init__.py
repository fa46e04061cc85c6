"""The choice of models that answer and judge."""
