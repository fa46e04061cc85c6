"""Plumbline's evaluators: whether a RAG system's answers are true to their sources. Works without the app."""
