"""Data from elsewhere: the Hugging Face hub, the official RGB files, documents of one's own."""

from __future__ import annotations


def hub() -> None:
    """The tab "Hugging Face": a table goes to `upload_form.take`, which asks for its columns where they are in doubt."""


def official() -> None:
    """The tab "RGB files"."""


def documents() -> None:
    """The tab "From documents": a finished data set goes to `dataset_view.keep`."""
