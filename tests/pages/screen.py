"""What a page shows, as a person reads it, and what it hands to a Markdown renderer."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from itertools import chain
from typing import Any, NamedTuple

from google.protobuf.message import Message
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Button, ButtonGroup

from evaluators.records import Run
from evaluators.runs.engine import registry
from ui import session

MESSAGES = ("info", "warning", "error", "success")
MARKDOWN = {
    "label",
    "help",
    "body",
    "text",
    "title",
    "delta",
    "delta_description",
    "captions",
    "content",
}
"""The fields of elements that Streamlit renders as Markdown."""
AS_IT_IS = {"Html", "Code", "Json", "Text"}
"""Elements whose body is shown letter by letter."""
CHIPS = {"ButtonGroup", "Radio", "MenuButton", "Slider"}
"""Elements whose options are Markdown; those of lists are shown letter by letter."""
ESCAPED = re.compile(r":gray\[\]|\\([\W_])")
"""What `plain` adds to a text so that it is shown letter by letter."""


def said(at: AppTest, *kinds: str) -> str:
    """The texts of these kinds of elements (captions and messages by default), one a line, without
    escapes and with all spaces alike.
    """
    found = [element.value for kind in kinds or ("caption", *MESSAGES) for element in at.get(kind)]
    return ESCAPED.sub(r"\1", "\n".join(found)).replace("\N{NO-BREAK SPACE}", " ")


CHECKED = re.compile(
    r"[\d,]+ (?:answers? checked|of [\d,]+ checked(?: · [\d,]+ failed)?)(?: · [^·]*spent)?"
)


def state(at: AppTest) -> str:
    """The words on the run's progress bar; of a finished run those in the head of its page."""
    bars = [bar.proto.text for bar in at.get("progress")]
    return "\n".join(bars or CHECKED.findall(said(at, "markdown")))


def button(at: AppTest, label: str) -> Button:
    """The first button with this label."""
    return next(button for button in at.button if button.label == label)


def press(at: AppTest, label: str) -> AppTest:
    """The page after a click on the first button with this label; without an exception."""
    at = button(at, label).click().run()
    assert not at.exception, [element.value for element in at.exception]
    return at


def segments(at: AppTest, key: str) -> ButtonGroup:
    return next(group for group in at.get("button_group") if group.key == key)


VALUE = re.compile(
    r"<h[23]>(?P<heading>.*?)</h[23]>|"
    r'class="pl-name"><bdi>(?P<title>.*?)</bdi>(?: <a .*?</a>)?(?:<small>(?P<meaning>.*?)</small>)?</span>'
    r'<span class="pl-mean">(?P<mean>.*?)</span>.*?'
    r'class="pl-about">(?P<about>.*?)</span>'
)


def cards(at: AppTest) -> dict[str, str]:
    """The values of a page by title: those of a sample, and means on their lines."""
    means = {line.title: line.mean for line in lines(at)}
    return {metric.label: metric.value for metric in at.metric} | means


class Line(NamedTuple):
    """A mean on a run's page: under which heading, whose or what it is, and what stands beside."""

    heading: str
    title: str
    meaning: str
    mean: str
    interval: str
    coverage: str


def lines(at: AppTest) -> list[Line]:
    """The means of a run's page with their intervals and coverages, in its order."""
    found, heading = [], ""
    for part in VALUE.finditer(html(at)):
        if part["heading"] is not None:
            heading = unescape(re.sub("<span>.*", "", part["heading"])).strip()
            continue
        interval, _, coverage = part["about"].rpartition("<br>")
        texts = [unescape(part[name] or "") for name in ("title", "meaning", "mean")]
        found.append(Line(heading, *texts, interval, coverage))
    return found


VALUES = re.compile(r"<table class=pl-values>(.*?)</table>")
CELL = re.compile(
    r'<td title="(?P<about>.*?)"><span class=pl-whose>(?:<b.*?</b>)?(?P<whose>.*?)</span>'
    r"<strong>(?P<mean>.*?)</strong>"
)


def value_table(at: AppTest, corner: str) -> dict[str, list[tuple[str, str, str]]]:
    """The means of a table of values by row: whose each is, the mean, on how many it stands."""
    found = {}
    for body in VALUES.findall(html(at)):
        if f"<th scope=col>{corner}</th>" in body:
            for row in body.split("<tr>")[2:]:
                title = re.findall("<th scope=row><bdi>(.*?)</bdi>", row)[0]
                cells = [
                    (cell["whose"], cell["mean"], cell["about"]) for cell in CELL.finditer(row)
                ]
                found[unescape(title)] = [tuple(map(unescape, cell)) for cell in cells]
    return found


def grid(at: AppTest) -> dict[tuple[str, str], str]:
    """How far labellers agree, by row and column."""
    cells = {}
    body = html(at).partition("<table class=pl-grid>")[2].partition("</table>")[0]
    head, *rows = [re.findall("<t[hd].*?>(.*?)</t[hd]>", row) for row in body.split("</tr>")[:-1]]
    for title, *row in rows:
        for column, cell in zip(head[1:], row, strict=True):
            if cell:
                cells[unescape(title), unescape(column)] = re.sub("<.*?>", " ", cell)
    return cells


def samples(at: AppTest, table: str = "samples_") -> list[dict[str, str]]:
    """The rows of the run's samples, as the page hands them to its script."""
    data = _component(at, table)
    titles = [column["title"] for column in data["columns"]]
    return [dict(zip(titles, row["cells"], strict=True)) for row in data["rows"]]


def table_columns(at: AppTest) -> list[dict[str, Any]]:
    """The columns of the table of samples, as the page hands them to its script."""
    columns: list[dict[str, Any]] = _component(at, "samples_")["columns"]
    return columns


def listed(at: AppTest) -> dict[str, dict[str, Any]]:
    """The rows of the table of runs by id: their cells by column, a line each, and further facts."""
    data = _component(at, "runs_")
    rows = {}
    for row in data["rows"]:
        cells = ["\n".join(cell["lines"]) for cell in row["cells"]]
        further = {name: row[name] for name in ("tags", "note", "baseline")}
        titles = [column["title"] for column in data["columns"]]
        rows[row["id"]] = dict(zip(titles, cells, strict=True)) | further
    return rows


def select(at: AppTest, *ids: str) -> AppTest:
    """The page after the boxes of these runs were ticked, as the table's script says it."""
    states = at._tree.get_widget_states()
    state = WidgetState(id=_component_id(at, "runs_"))
    state.json_value = json.dumps({"selected": list(ids)})
    states.widgets.append(state)
    return at._run(states)


def open_listed(at: AppTest, opened: object, table: str = "runs_") -> AppTest:
    """The page after a row was clicked in the table: of runs by its id, of others as they send."""
    states = at._tree.get_widget_states()
    trigger = WidgetState(id=_make_trigger_id(_component_id(at, table), "events"))
    trigger.json_trigger_value = json.dumps([{"event": "opened", "value": opened}])
    states.widgets.append(trigger)
    return at._run(states)


def _component_id(at: AppTest, key: str) -> str:
    return next(e.proto.id for e in at.get("bidi_component") if key in e.proto.id)


def _component(at: AppTest, key: str) -> dict[str, Any]:
    """The data of the component whose key begins so."""
    protos = [element.proto for element in at.get("bidi_component")]
    return next(json.loads(proto.json) for proto in protos if key in proto.id)


def table(at: AppTest, first_column: str) -> list[dict[str, Any]]:
    """The rows of the table whose first column has this title."""
    frames = (element.value for element in (*at.dataframe, *at.table))
    return next(frame for frame in frames if frame.columns[0] == first_column).to_dict("records")


def html(at: AppTest) -> str:
    """Every text that is HTML, with its blanks that are not broken as blanks."""
    return "\n".join(element.proto.body for element in at.get("html")).replace("&nbsp;", " ")


def evidence(at: AppTest) -> dict[str, Any]:
    """What the script of the evidence view was told."""
    return json.loads(at.get("bidi_component")[0].proto.json)


def numbers(at: AppTest) -> dict[str, str]:
    """The numbers of the evidence view by their titles in small letters, and the average."""
    *metrics, average = evidence(at)["numbers"]
    named = {number["label"].lower(): number["value"] for number in metrics}
    return named | {"average": average["figure"]}


def change(at: AppTest, label: str, key: str = "", value: str = "", **facts: Any) -> AppTest:
    """The page after the evidence view sent this change, as its script sends it."""
    view = evidence(at)
    number = view["answered"] + 1
    sent = {"sample": view["sample"], "number": number, "label": label, "key": key, "value": value}
    return send(at, [sent | facts])


def send(at: AppTest, changes: Any) -> AppTest:
    """The page after the evidence view sent something; AppTest itself knows no components."""
    states = at._tree.get_widget_states()
    trigger = WidgetState(id=_make_trigger_id(at.get("bidi_component")[0].proto.id, "events"))
    trigger.json_trigger_value = json.dumps([{"event": "changed", "value": changes}])
    states.widgets.append(trigger)
    return at._run(states)


def markdown(at: AppTest) -> list[str]:
    """Every text that Streamlit renders as Markdown: texts, labels, help, chips, cells of tables."""
    frames = [table.value for table in at.table]
    cells = [[*frame.columns, *frame.index, *frame.to_numpy().ravel()] for frame in frames]
    protos = [node.proto for node in _nodes(at._tree)]
    texts = [list(_rendered(proto)) for proto in protos if isinstance(proto, Message)]
    return [*map(str, chain(*cells)), *chain(*texts)]


@contextmanager
def at_work(run: Run) -> Iterator[None]:
    """As if another process were at work on the run."""
    elsewhere = session.store().run_lock(run.id)
    elsewhere.acquire()
    try:
        yield
    finally:
        elsewhere.release()


def started(at: AppTest, page: str) -> AppTest:
    """The page after its form was sent off and the run came to its end."""
    at = settled(at.button(key=f"{page}_start").click().run())
    assert not at.exception, [element.value for element in at.exception]
    return at


def settled(at: AppTest) -> AppTest:
    """The page after every run of this process has come to its end."""
    wait_for_runs()
    return at.run()


def wait_for_runs() -> None:
    for _ in range(600):
        if not any(registry.is_live(run_id) for run_id in list(registry._jobs)):
            return
        time.sleep(0.1)
    raise AssertionError("A run did not end within a minute.")


def runs() -> list[Run]:
    return session.store().runs.newest("local")


BED = {
    "id": 1,
    "query": "When?",
    "answer": "May",
    "positive": ["It was in May."],
    "negative": ["Tea is hot."],
}
"""A row of a test bed for RGB."""


def jsonl(*rows: dict[str, Any]) -> str:
    return "\n".join(json.dumps(row) for row in rows)


def _nodes(block: Block) -> Iterator[Any]:
    for child in block.children.values():
        yield child
        if isinstance(child, Block):
            yield from _nodes(child)


def _rendered(message: Message) -> Iterator[str]:
    """The texts of an element that are Markdown."""
    kind = message.DESCRIPTOR.name
    names = MARKDOWN - {"body"} if kind in AS_IT_IS else MARKDOWN
    names = names | {"options"} if kind in CHIPS else names
    for field, value in message.ListFields():
        for part in value if field.is_repeated else [value]:
            if isinstance(part, Message):
                yield from _rendered(part)
            elif isinstance(part, str) and field.name in names:
                yield part
