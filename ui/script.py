"""The components of the pages: a script of `ui/static`, its style, and the words of its reader.

A script has its words in English, and is told those of its reader.
"""

from __future__ import annotations

import re
from typing import Any

import streamlit as st

from evaluators.config import ROOT
from evaluators.text.language import ENGLISH, language, say

STATIC = ROOT / "ui" / "static"
_SAID = re.compile(r'\b(?:say|said|mark)\("([^"\\]+)"')


def static(file: str) -> str:
    """The text of a file of `ui/static`."""
    return (STATIC / file).read_text(encoding="utf-8")


def component(name: str, html: str = "", css: str = "") -> Any:
    """The component whose script is `NAME.js`; it is registered once, when its page is loaded."""
    # The name tells Streamlit which one is drawn again.
    sheet = static(css) if css else None
    js = static("common.js") + static(f"{name}.js")
    return st.components.v2.component(f"plumbline_{name}", html=html or None, css=sheet, js=js)


def event(key: str, name: str) -> Any:
    """What the component of this key just sent under the name; `None` where it sent nothing."""
    # One that left the page has no state, but Streamlit calls its callback if a stranger sends one.
    return (st.session_state.get(key) or {}).get(name)


def texts_of(script: str) -> list[str]:
    """The English texts that a script says or marks, each as a literal in double quotes."""
    return list(dict.fromkeys(_SAID.findall(script)))


def words_of(name: str) -> dict[str, str]:
    """Each text of the script `NAME.js` in the language of this moment; nothing in English."""
    if language() == ENGLISH:
        return {}
    return {text: say(text) for text in texts_of(static(f"{name}.js"))}
