"""Packages that few need, each in the version that pyproject.toml names as an extra."""

from __future__ import annotations

EXTRAS = {
    "embeddings": "sentence-transformers==6.2.0",
    "local": "transformers[torch]==5.18.0",
    "mlflow": "mlflow-skinny==3.17.2",
    "postgres": "psycopg[binary]==3.3.9",
    "ray": "ray==2.60.0",
}


def install_line(extra: str) -> str:
    """The command that installs it.

    It names the library itself: the extra of a name that is not ours would install that one.
    """
    return f'pip install "{EXTRAS[extra]}"'
