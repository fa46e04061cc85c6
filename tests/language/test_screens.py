"""No screen shows a text of the code that was not said in the reader's language."""

import ast
import re

import pytest

from tests.language.messages import ROOT

SHOWS = {
    *("title", "header", "subheader", "caption", "markdown", "write", "text", "note"),
    *("info", "warning", "error", "success", "toast", "spinner", "progress", "status", "dialog"),
    *("button", "download_button", "link_button", "page_link", "form_submit_button", "menu_button"),
    *("toggle", "checkbox", "selectbox", "multiselect", "radio", "segmented_control", "pills"),
    *("text_input", "text_area", "number_input", "slider", "select_slider", "file_uploader"),
    *("popover", "expander", "metric", "date_input"),
}
"""The functions of Streamlit whose first argument is read on the screen."""
KEYWORDS = {"help", "label", "placeholder", "title"}
"""Their arguments that are read as well."""
WORDS = re.compile(r"[A-Za-z]*[a-z]{2}")
NAMES = re.compile(
    r":material/\w*:|</?\w+[^>]*>|&\w+;|\b(?:RGB|TRACE|Plumbline|ABC)\b|https?://\S+|\.\./pages/\S*"
)
"""What is no word: icons, tags, the files of pages, and names that are the same in every language."""
FILES = sorted(path for folder in ("ui", "pages") for path in (ROOT / folder).rglob("*.py"))


def unsaid(path):
    """The calls of a file that show a text of the code as it stands, by line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and name_of(call.func) in SHOWS and not is_ours(call, tree):
            shown = [
                *call.args[:1],
                *(each.value for each in call.keywords if each.arg in KEYWORDS),
            ]
            for text in shown:
                if WORDS.search(NAMES.sub("", letters(text))):
                    yield f"{call.lineno}: {letters(text)!r}"


def is_ours(call, tree):
    """Whether a function of another file of ours is called: that one says what it shows."""
    of = call.func.value.id if isinstance(getattr(call.func, "value", None), ast.Name) else ""
    ours = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    return any(of == (each.asname or each.name) for node in ours for each in node.names)


def name_of(function):
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def letters(node):
    """What an expression says as it stands: a text, or what is around the blanks of an f-string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(map(letters, node.values))
    if isinstance(node, ast.IfExp):
        return letters(node.body) + letters(node.orelse)
    if isinstance(node, ast.BinOp):
        return letters(node.left) + letters(node.right)
    return ""


def test_every_text_that_streamlit_is_given_is_said():
    assert len(FILES) > 100
    assert [f"{path.relative_to(ROOT)}:{call}" for path in FILES for call in unsaid(path)] == []


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ('st.button("Press")', 1),
        ('st.button(say("Press"))', 0),
        ('st.caption(f"{count} pressed")', 1),
        ('st.button(say("Press"), help="Once")', 1),
        ('st.html("<hr>")', 0),
        ('from ui.parts import present\npresent.button("sample")', 0),
        ('st.markdown(f":material/check: {text}")', 0),
        ('left.caption("On" if is_on else "Off")', 1),
    ],
)
def test_a_text_that_is_not_said_is_found(tmp_path, code, count):
    path = tmp_path / "page.py"
    path.write_text(code)
    assert len(list(unsaid(path))) == count
