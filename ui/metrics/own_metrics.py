"""Metrics of one's own: from a prompt, kept in the workspace, and from files of the host."""

from __future__ import annotations

from typing import Any

import streamlit as st

from evaluators.base import missing
from evaluators.catalogue import broken, catalogue, files
from evaluators.config import PACKAGE, ROOT, config
from evaluators.errors import HostLimitError, ParameterError
from evaluators.params import Parameter, parameters
from evaluators.prompt_metric import PromptMetric, as_file
from evaluators.records import Dataset, EvaluatorSpec
from evaluators.runs.store import Unreadable
from evaluators.text.language import mark, say
from evaluators.text.words import counted, in_a_line, readable
from ui import session
from ui.parts import problems
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain

NEW = mark("A new one")
PLACE = "own_metrics"
CHOSEN = "metrics_metrics"
"""Where the page keeps the metrics that are chosen for the next run."""

EXAMPLE = PACKAGE / "custom" / "hedging.py"


def saved() -> dict[str, EvaluatorSpec]:
    """The workspace's metrics from a prompt, by title; without those that cannot be used."""
    usable = {}
    for title, spec in _all_saved().items():
        if not _why_unusable(spec):
            usable[title] = spec
    return usable


def _all_saved() -> dict[str, EvaluatorSpec]:
    return session.store().metrics.by_key(session.workspace())


def _why_unusable(spec: EvaluatorSpec) -> str:
    """Why a saved metric cannot be used; empty where it can."""
    try:
        PromptMetric.build(**spec.params)
    except ParameterError as error:
        return str(error)
    return ""


def _unusable() -> list[Unreadable]:
    """The saved metrics that cannot be read or used."""
    unusable = list(session.store().metrics.unreadable(session.workspace()))
    for title, spec in _all_saved().items():
        if reason := _why_unusable(spec):
            unusable.append(Unreadable(name=title, reason=reason))
    return unusable


def name_in_choice(title: str) -> str:
    """By what name a saved metric can be chosen."""
    return f"{PromptMetric.name} {title}"


def show() -> None:
    """What is wrong with files, a form for a metric from a prompt, and where files belong."""
    # Files are the host's: a visitor of a public one can neither see nor mend them.
    if not config().public:
        _broken_files()
    with st.expander(say("Metrics of your own"), icon=":material/extension:", key="own_metrics"):
        if config().public:
            _prompt_metric_form()
            return
        question, file = st.tabs([say("A question to a judge"), say("A Python file")])
        with question:
            _prompt_metric_form()
        with file:
            _files_in_use()


def _broken_files() -> None:
    for error in broken():
        where = say(
            "{file}, line {line}: {message}",
            file=error.file,
            line=error.line,
            message=error.message,
        )
        st.error(plain(where), icon=":material/code_off:", title=say("This metric cannot be used"))


# From a prompt


def _prompt_metric_form() -> None:
    """The form of a new metric or of a saved one; nothing is kept before Save."""
    st.caption(say("A judge answers your question about every sample. No programming is needed."))
    usable = saved()
    for lost in _unusable():
        _show_unusable(lost)
    # What was chosen last may have been deleted in another tab.
    if st.session_state.get("own_metric", NEW) not in usable:
        st.session_state["own_metric"] = NEW
    name = st.selectbox(
        say("Metric"),
        [NEW, *usable],
        # All others are titles that somebody gave, which stay as they are.
        format_func=lambda name: say(NEW) if name == NEW else name,
        key="own_metric",
    )
    chosen = usable.get(name)
    params = _fields_of_metric(dict(chosen.params) if chosen else {}, f"own_{name}")
    required = {"title": say("a name"), "question": say("a question")}
    blank = [words for field, words in required.items() if not params[field].strip()]
    metric = None
    # A new form is empty, which is not worth an error.
    if not blank:
        with problems.caught():
            metric = PromptMetric.build(**params)
    if metric:
        _preview_of_prompt(metric)
    if blank:
        st.caption(say("Still missing: {words}.", words=say(" and ").join(blank)))
    _save_and_delete(metric, name if chosen else "")
    if metric and metric.spec() == chosen:
        is_chosen = name_in_choice(name) in st.session_state.get(CHOSEN, ())
        if is_chosen:
            st.caption(say("Saved. It is chosen above, under Metrics."))
        else:
            st.caption(say("Saved. It can be chosen above, under Metrics."))
    problems.show(PLACE)


def _show_unusable(lost: Unreadable) -> None:
    st.error(
        plain(say("{name} cannot be read ({reason}).", name=lost.name, reason=lost.reason)),
        icon=":material/error:",
    )
    # What somebody wrote is given back, whether or not this version can use it.
    with st.container(horizontal=True):
        raw = session.store().metrics.raw(session.workspace(), lost.name)
        st.download_button(
            say("Save as stored"),
            raw,
            "metric.jsonl",
            "application/jsonl",
            icon=":material/download:",
            key=f"raw_{lost.name}",
        )
        st.button(
            say("Delete"),
            icon=":material/delete:",
            on_click=problems.guarded(_delete_metric, PLACE),
            args=(lost.name,),
            key=f"delete_{lost.name}",
        )


def _fields_of_metric(saved_params: dict[str, Any], key: str) -> dict[str, Any]:
    """The fields, as the metric declares them; a new one begins without a name and a question."""
    declared = {parameter.name: parameter for parameter in parameters(PromptMetric)}
    values = {
        "title": "",
        "question": "",
        "answer": declared["answer"].default,
        "fields": declared["fields"].default,
        **saved_params,
    }
    common = {name: _said_of(parameter, key) for name, parameter in declared.items()}
    left, right = st.columns(2)
    title = left.text_input(
        value=values["title"],
        max_chars=60,
        placeholder=say("Names its source"),
        **common["title"],
    )
    answers = declared["answer"].choices
    answer = right.selectbox(
        options=answers,
        index=answers.index(values["answer"]),
        format_func=readable,
        **common["answer"],
    )
    question = st.text_area(
        value=values["question"],
        max_chars=4000,
        placeholder=say("Does the answer say where its facts are from, such as a document?"),
        **common["question"],
    )
    seen = st.multiselect(
        options=declared["fields"].choices,
        default=values["fields"],
        format_func=readable,
        **common["fields"],
    )
    return {"title": title, "question": question, "answer": answer, "fields": tuple(seen)}


def _said_of(parameter: Parameter, key: str) -> dict[str, Any]:
    """What every kind of field takes from the parameter that it is for."""
    return {
        "label": say(parameter.title),
        "help": say(parameter.description),
        "key": f"{key}_{parameter.name}",
        **KEPT,
    }


def _preview_of_prompt(metric: PromptMetric) -> None:
    """What the judge would read about the first sample of a data set."""
    datasets = session.named(Dataset)
    with st.expander(say("Preview of the prompt"), icon=":material/edit_note:", key="own_preview"):
        name = st.selectbox(
            say("Data set"),
            datasets,
            key="own_preview_data",
            **KEPT,
        )
        samples = session.dataset(name).samples if name else ()
        # The first that a judge could be asked about at all.
        usable = (sample for sample in samples if not missing(metric.needed, sample))
        if sample := next(usable, None):
            st.caption(plain(say("About sample {id}. Nothing was sent.", id=sample.id)))
            st.code(metric.prompt(sample).text, language=None, wrap_lines=True)
        else:
            needs = in_a_line(map(readable, metric.needed)).lower()
            st.caption(plain(say("No sample there has {needs}.", needs=needs)))


def _save_and_delete(metric: PromptMetric | None, name: str) -> None:
    with st.container(horizontal=True):
        save = problems.guarded(_save_metric, PLACE)
        st.button(
            say("Save"),
            icon=":material/save:",
            disabled=metric is None,
            on_click=save,
            args=(metric,),
        )
        if name:
            # From what is stored, not from the fields: they may hold changes that are not saved.
            file, content = as_file(PromptMetric.build(**saved()[name].params))
            st.download_button(
                say("Download as a Python file"),
                content,
                file,
                "text/x-python",
                icon=":material/download:",
                key="own_file",
            )
            delete = problems.guarded(_delete_metric, PLACE)
            st.button(
                say("Delete"),
                icon=":material/delete:",
                on_click=delete,
                args=(name,),
                key="own_delete",
            )


def _save_metric(metric: PromptMetric) -> None:
    """Keeps the metric.

    Raises `HostLimitError` where there are too many, `ParameterError` where the name is taken.
    """
    usable = saved()
    most = config().metrics_per_visitor
    taken = [NEW, *(cls.title for cls in catalogue().values())]
    # In a list of metrics nobody tells two titles apart that differ in capitals.
    if metric.title.casefold() in map(str.casefold, taken):
        raise ParameterError(
            say(
                "There is another metric called {name}. Give yours a name of its own.",
                name=metric.title,
            )
        )
    is_new = metric.title not in usable
    if config().public and is_new and len(usable) >= most:
        raise HostLimitError(
            say(
                "This host keeps {metrics} for each visitor, and you have that many. "
                "Delete one first.",
                metrics=counted(most, "metric"),
            )
        )
    session.check_room()
    session.store().metrics.save(session.workspace(), metric.title, metric.spec())
    _empty_fields(NEW)
    st.session_state["own_metric"] = metric.title
    # Somebody writes a metric to use it.
    _choose_for_next_run([*_chosen_beside(metric.title), name_in_choice(metric.title)])


def _delete_metric(name: str) -> None:
    session.store().metrics.delete(session.workspace(), name)
    _empty_fields(name)
    st.session_state["own_metric"] = NEW
    _choose_for_next_run(_chosen_beside(name))


def _chosen_beside(title: str) -> list[str]:
    """The metrics that are chosen for the next run beside this one."""
    chosen = st.session_state.get(CHOSEN, ())
    return [name for name in chosen if name != name_in_choice(title)]


def _choose_for_next_run(names: list[str]) -> None:
    # Before the field was drawn for the first time, its own default would be lost.
    if CHOSEN in st.session_state:
        st.session_state[CHOSEN] = names


def _empty_fields(name: str) -> None:
    """Forgets what was typed in: the next time the fields begin anew."""
    for parameter in parameters(PromptMetric):
        st.session_state.pop(f"own_{name}_{parameter.name}", None)


# From files


def _files_in_use() -> None:
    """The files that are in use, and where to put one."""
    folder = config().custom_dir
    # As somebody finds it who stands in the checkout.
    shown = folder.relative_to(ROOT) if folder.is_relative_to(ROOT) else folder
    st.caption(
        plain(
            say(
                "Put a Python file that holds a metric into {folder}, and reload the page.",
                folder=shown,
            )
        )
    )
    by_file = {}
    for file, metrics in files().items():
        by_file[file] = in_a_line(say(cls.title) for cls in metrics)
    for error in broken():
        by_file[error.file] = say("cannot be used, see line {line}", line=error.line)
    if by_file:
        rows = [
            {say("File"): file, say("Metrics"): metrics}
            for file, metrics in sorted(by_file.items())
        ]
        st.dataframe(rows, hide_index=True, alt=say("Files with metrics of your own"))
    with st.expander(say("An example to copy"), icon=":material/content_copy:", key="own_example"):
        st.code(EXAMPLE.read_text(encoding="utf-8"), language="python")
