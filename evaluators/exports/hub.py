"""Results and people's labels of a run as a data set of the Hugging Face hub."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from evaluators.datasets.hub import checked_id, endpoint, host
from evaluators.errors import DatasetError
from evaluators.exports.people import people_rows
from evaluators.llm import Access, Keys
from evaluators.llm.providers import PROVIDERS
from evaluators.llm.sign_in import PROVIDER
from evaluators.runs.aggregate import View
from evaluators.runs.answer_rows import AnswerRows
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark, say

if TYPE_CHECKING:
    import pyarrow

RESULTS, LABELS = "results", "labels"
_CARD = """---
configs:
{configs}tags:
- plumbline
---

A run of Plumbline: `{results}` has a row for each answer with its values{labels}.
"""
_OF_LABELS = (
    ", `labels` one for each label that people gave: who (`person`), when (`created`), whether the "
    "judge's labels were hidden (`blind`), and how the answer was drawn"
)
_OPEN = mark("{data_set} is open to everybody. Choose another name, or allow it.")
_NOT_TAKEN = mark("{host} did not take the data set, or not in time. Try again.")


def hub_access(keys: Keys) -> Access | None:
    """The access with which data sets can be pushed, if it is there."""
    access = keys.get(PROVIDER)
    # One for another address is no key of Hugging Face's.
    is_own = access is not None and access.base_url == PROVIDERS[PROVIDER].address
    return access if is_own else None


def push(view: RunView, by: View, name: str, token: SecretStr, private: bool = True) -> str:
    """Puts results and labels as Parquet into a data set, which is made; returns its address.

    A private one stays private: nothing is put into a public one unless that is wanted. Raises
    `DatasetError` with what to do where the hub refuses. The token goes to the hub, and where
    that says that large files go.
    """
    from httpx2 import HTTPError
    from huggingface_hub import CommitOperationAdd, HfApi, errors

    name = checked_id(name)
    files = {file: io.BytesIO(content) for file, content in _files(view, by).items()}
    api = HfApi(endpoint=endpoint(), token=token.get_secret_value())
    problem = ""
    try:
        api.create_repo(name, repo_type="dataset", private=private, exist_ok=True)
        if private and not api.dataset_info(name).private:
            problem = _OPEN
        else:
            # As streams, so that all goes by HTTP, and no program of the hub's own writes a log.
            operations = [CommitOperationAdd(file, content) for file, content in files.items()]
            message = "Results and labels by Plumbline"
            api.create_commit(name, operations, commit_message=message, repo_type="dataset")
    except errors.HfHubHTTPError as error:
        problem = _refusal(error.response.status_code if error.response is not None else 0)
    # What else its library raises: of a connection, an upload, an answer that is none of the hub's.
    except (HTTPError, OSError, RuntimeError, ValueError, TypeError, AttributeError, KeyError):
        problem = _NOT_TAKEN
    if problem:
        raise DatasetError(say(problem, data_set=name, host=host()))
    return f"{endpoint()}/datasets/{name}"


def _refusal(status: int) -> str:
    if status == 401:
        return mark("{host} does not know the key, or no longer. Enter it or sign in again.")
    if status in (403, 404):
        return mark("This key may not write {data_set}. Choose a name under your own account.")
    return _NOT_TAKEN


def _files(view: RunView, by: View) -> dict[str, bytes]:
    from pyarrow import table

    tables = {RESULTS: AnswerRows(view, by).arrow()}
    columns, rows = people_rows(view)
    if rows:
        cells = zip(*rows, strict=True)
        tables[LABELS] = table(dict(zip(columns, map(list, cells), strict=True)))
    configs = "".join(
        f"- config_name: {each}\n  data_files: data/{each}.parquet\n" for each in tables
    )
    card = _CARD.format(configs=configs, results=RESULTS, labels=_OF_LABELS if rows else "")
    files = {f"data/{each}.parquet": _parquet(content) for each, content in tables.items()}
    return {"README.md": card.encode(), **files}


def _parquet(table: pyarrow.Table) -> bytes:
    from pyarrow import parquet

    file: Any = io.BytesIO()
    parquet.write_table(table, file)
    return bytes(file.getvalue())
