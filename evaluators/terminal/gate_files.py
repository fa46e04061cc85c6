"""How a command came out, for CI: a JUnit file for its pages of tests, Markdown for a comment."""

from __future__ import annotations

from xml.etree import ElementTree

from evaluators.document.blocks import Blocks, Passage, Table
from evaluators.document.markdown import as_markdown
from evaluators.document.terminal import as_text
from evaluators.named_files import write_file
from evaluators.terminal.exit_codes import INCOMPLETE, ExitOutcome, Gate
from evaluators.text.language import mark
from evaluators.text.printable import printable

HEADINGS = (mark("Value"), mark("Outcome"), mark("What was found"))
SIGNS = {"pass": "✅ pass", "fail": "❌ fail", "cannot tell": "❔ cannot tell"}
MOST_OF_THE_TEXT = 100_000


def write_gate_files(gate: Gate, outcome: ExitOutcome, title: str, blocks: Blocks) -> None:
    """Writes those files that the command names."""
    if gate.markdown:
        rows = [(own.name, SIGNS[own.state], own.words) for own in outcome.rulings]
        # What is wanting beside the demands: rows that failed, why it stopped.
        ruled = {own.words for own in outcome.rulings}
        wanting = [Passage(words, "warning") for words in outcome.words if words not in ruled]
        write_file(gate.markdown, as_markdown(title, [Table(HEADINGS, rows), *wanting, *blocks]))
    if gate.junit:
        write_file(gate.junit, _junit(gate, outcome, title, as_text(blocks)))


def _junit(gate: Gate, outcome: ExitOutcome, title: str, text: str) -> bytes:
    suite = ElementTree.Element("testsuite", name="plumbline")
    said = {"classname": f"plumbline.{printable(title)}"}
    checked = ElementTree.SubElement(suite, "testcase", said, name="everything is checked")
    if outcome.code == INCOMPLETE:
        words = " ".join(map(printable, outcome.words)) or "Rows of a run cannot be read."
        ElementTree.SubElement(checked, "error", message=words)
    for own in outcome.rulings:
        case = ElementTree.SubElement(suite, "testcase", said, name=own.name)
        state = gate.cannot_tell if own.state == "cannot tell" else own.state
        tag = {"pass": "system-out", "fail": "failure", "skip": "skipped"}[state]
        found = ElementTree.SubElement(case, tag)
        if state == "pass":
            found.text = own.words
        else:
            found.set("message", own.words)
    for name, tag in (("failures", "failure"), ("skipped", "skipped"), ("errors", "error")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("tests", str(len(suite)))
    lines = map(printable, text[:MOST_OF_THE_TEXT].splitlines())
    ElementTree.SubElement(suite, "system-out").text = "\n".join(lines)
    written: bytes = ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)
    return written
