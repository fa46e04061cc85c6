"""Metrics of one's own: a form for a metric from a prompt, kept in the workspace, and the files of
the host.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from evaluators.base import missing
from evaluators.catalogue import broken, catalogue, files
from evaluators.config import PACKAGE, ROOT, config
from evaluators.errors import HostLimitError, ParameterError
from evaluators.params import parameters
from evaluators.prompt_metric import PromptMetric, as_file
from evaluators.records import Dataset, EvaluatorSpec, Sample
from evaluators.runs.store import Unreadable
from ui import session
from ui.parts import problems
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain
from ui.parts.words import counted, readable

NEW = "A new one"
PLACE = "own_metrics"
CHOSEN = "metrics_metrics"
"""Where the page keeps the metrics that are chosen for the next run."""

EXAMPLE = PACKAGE / "custom" / "hedging.py"


def saved() -> dict[str, EvaluatorSpec]:
    """The workspace's metrics from a prompt, by title; without those of `_unreadable`."""
    return {title: spec for title, spec in _stored().items() if not _problem(spec)}


def _stored() -> dict[str, EvaluatorSpec]:
    return session.store().metrics.by_title(session.workspace())


def _problem(spec: EvaluatorSpec) -> str:
    """Why a saved metric cannot be used, where that is so."""
    try:
        PromptMetric.build(**spec.params)
    except ParameterError as error:
        return str(error)
    return ""


def _unreadable() -> list[Unreadable]:
    """The saved metrics that cannot be read or used."""
    wrong = {title: problem for title, spec in _stored().items() if (problem := _problem(spec))}
    broken = [Unreadable(name=title, reason=reason) for title, reason in wrong.items()]
    return [*session.store().metrics.unreadable(session.workspace()), *broken]


def offered(title: str) -> str:
    """By what name a saved metric can be chosen."""
    return f"{PromptMetric.name} {title}"


def show() -> None:
    """What is wrong with files of the host, a form for a metric from a prompt, and where files
    belong.
    """
    if not config().public:
        _broken_files()
    with st.expander("Metrics of your own", icon=":material/extension:", key="own_metrics"):
        if config().public:
            _form()
            return
        asked, written = st.tabs(["A question to a judge", "A Python file"])
        with asked:
            _form()
        with written:
            _files()


def _broken_files() -> None:
    for each in broken():
        words = f"{each.file}, line {each.line}: {each.message}"
        st.error(plain(words), icon=":material/code_off:", title="This metric cannot be used")


# From a prompt


def _form() -> None:
    """The form of a new metric or of a saved one; nothing is kept before Save."""
    st.caption("A judge answers your question about every sample. No programming is needed.")
    known = saved()
    for lost in _unreadable():
        _show_unreadable(lost)
    if st.session_state.get("own_metric", NEW) not in known:
        st.session_state["own_metric"] = NEW
    name = st.selectbox("Metric", [NEW, *known], key="own_metric")
    chosen = known.get(name)
    params = _widgets(dict(chosen.params) if chosen else {}, f"own_{name}")
    metric, needed = None, {"title": "a name", "question": "a question"}
    missing = [words for field, words in needed.items() if not params[field].strip()]
    with problems.caught():
        metric = None if missing else PromptMetric.build(**params)
    if metric:
        _preview(metric)
    if missing:
        st.caption(f"Still missing: {' and '.join(missing)}.")
    _buttons(metric, name if chosen else "")
    if metric and metric.spec() == chosen:
        is_chosen = offered(name) in st.session_state.get(CHOSEN, ())
        st.caption(f"Saved. It {'is' if is_chosen else 'can be'} chosen above, under Metrics.")
    problems.show(PLACE)


def _show_unreadable(lost: Unreadable) -> None:
    st.error(plain(f"{lost.name} cannot be read ({lost.reason})."), icon=":material/error:")
    with st.container(horizontal=True):
        raw = session.store().metrics.raw(session.workspace(), lost.name)
        st.download_button(
            "Save as stored",
            raw,
            "metric.jsonl",
            "application/jsonl",
            icon=":material/download:",
            key=f"raw_{lost.name}",
        )
        delete = problems.guarded(_delete, PLACE)
        st.button(
            "Delete",
            icon=":material/delete:",
            on_click=delete,
            args=(lost.name,),
            key=f"delete_{lost.name}",
        )


def _widgets(given: dict[str, Any], key: str) -> dict[str, Any]:
    """The fields, as the metric declares them; a new one begins without a name and a question."""
    declared = {each.name: each for each in parameters(PromptMetric)}
    begun = {
        "title": "",
        "question": "",
        "answer": declared["answer"].default,
        "fields": declared["fields"].default,
    }
    begun |= given
    common = {
        name: {"label": each.title, "help": each.description, "key": f"{key}_{name}", **KEPT}
        for name, each in declared.items()
    }
    left, right = st.columns(2)
    title = left.text_input(
        value=begun["title"], max_chars=60, placeholder="Names its source", **common["title"]
    )
    answers = declared["answer"].choices
    index = answers.index(begun["answer"])
    answer = right.selectbox(options=answers, index=index, format_func=readable, **common["answer"])
    question = st.text_area(
        value=begun["question"],
        max_chars=4000,
        placeholder="Does the response say where its facts are from, such as a document?",
        **common["question"],
    )
    seen = st.multiselect(
        options=declared["fields"].choices,
        default=begun["fields"],
        format_func=readable,
        **common["fields"],
    )
    return {"title": title, "question": question, "answer": answer, "fields": tuple(seen)}


def _preview(metric: PromptMetric) -> None:
    """What the judge would read about the first sample of a data set."""
    datasets = session.named(Dataset)
    with st.expander("Preview of the prompt", icon=":material/edit_note:", key="own_preview"):
        name = st.selectbox("Data set", datasets, key="own_preview_data", **KEPT)
        sample = _first(session.dataset(name), metric) if name else None
        if sample:
            st.caption(plain(f"About sample {sample.id}. Nothing was sent."))
            st.code(metric.prompt(sample).text, language=None, wrap_lines=True)
        else:
            st.caption(
                plain(f"No sample there has {', '.join(map(readable, metric.needed)).lower()}.")
            )


def _first(dataset: Dataset, metric: PromptMetric) -> Sample | None:
    return next((sample for sample in dataset.samples if not missing(metric.needed, sample)), None)


def _buttons(metric: PromptMetric | None, name: str) -> None:
    with st.container(horizontal=True):
        save = problems.guarded(_save, PLACE)
        st.button(
            "Save", icon=":material/save:", disabled=metric is None, on_click=save, args=(metric,)
        )
        if name:
            file, content = as_file(PromptMetric.build(**saved()[name].params))
            st.download_button(
                "Download as a Python file",
                content,
                file,
                "text/x-python",
                icon=":material/download:",
                key="own_file",
            )
            delete = problems.guarded(_delete, PLACE)
            st.button(
                "Delete", icon=":material/delete:", on_click=delete, args=(name,), key="own_delete"
            )


def _save(metric: PromptMetric) -> None:
    """Keeps the metric; raises `HostLimitError` where there are too many, `ParameterError` where
    the name is taken.
    """
    known, most = saved(), config().metrics_per_visitor
    if metric.title.casefold() in {
        NEW.casefold(),
        *(cls.title.casefold() for cls in catalogue().values()),
    }:
        raise ParameterError(
            f"There is another metric called {metric.title}. Give yours a name of its own."
        )
    if config().public and metric.title not in known and len(known) >= most:
        raise HostLimitError(
            f"This host keeps {counted(most, 'metric')} for each visitor, and you have "
            "that many. Delete one first."
        )
    session.check_room()
    session.store().metrics.save(session.workspace(), metric.title, metric.spec())
    _forget(NEW)
    st.session_state["own_metric"] = metric.title
    _choose([*_others(metric.title), offered(metric.title)])


def _delete(name: str) -> None:
    session.store().metrics.delete(session.workspace(), name)
    _forget(name)
    st.session_state["own_metric"] = NEW
    _choose(_others(name))


def _others(title: str) -> list[str]:
    """The metrics that are chosen for the next run beside this one."""
    return [name for name in st.session_state.get(CHOSEN, ()) if name != offered(title)]


def _choose(names: list[str]) -> None:
    if CHOSEN in st.session_state:
        st.session_state[CHOSEN] = names


def _forget(name: str) -> None:
    """What was typed in; the next time the fields begin anew."""
    for parameter in parameters(PromptMetric):
        st.session_state.pop(f"own_{name}_{parameter.name}", None)


# From files


def _files() -> None:
    """The files that are in use, and where to put one."""
    folder = config().custom_dir
    shown = folder.relative_to(ROOT) if folder.is_relative_to(ROOT) else folder
    st.caption(plain(f"Put a Python file that holds a metric into {shown}, and reload the page."))
    found = {file: ", ".join(cls.title for cls in metrics) for file, metrics in files().items()}
    found |= {each.file: f"cannot be used, see line {each.line}" for each in broken()}
    if found:
        rows = [{"File": file, "Metrics": words} for file, words in sorted(found.items())]
        st.dataframe(rows, hide_index=True, alt="Files with metrics of your own")
    with st.expander("An example to copy", icon=":material/content_copy:", key="own_example"):
        st.code(EXAMPLE.read_text(encoding="utf-8"), language="python")
