"""Reads a report as a browser does: its elements, its texts, its tables."""

from __future__ import annotations

from html.parser import HTMLParser

MARKS = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "footer", "section"),
    *("article", "figure", "figcaption", "details", "summary", "div", "span", "p", "b", "i", "br"),
    *("small", "mark", "ul", "li", "pre", "h1", "h2", "h3", "h4"),
    *("table", "thead", "tbody", "tr", "th", "td"),
    *("svg", "desc", "g", "path", "line", "rect", "circle", "polygon", "polyline", "text", "tspan"),
}
"""The elements that a report is made of."""
FACTS = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "dir", "scope", "title"),
    *("data-title", "style", "role"),
}
"""The attributes of those that are no figure."""


class Read(HTMLParser):
    """A report: `tags` with their attributes in order, `text` without markup, `tables` by rows."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.text = ""
        self.tables: list[list[list[str]]] = []
        self.feed(page)
        self.close()

    def table(self, corner: str) -> list[list[str]]:
        """The first table whose head begins with this."""
        return next(table for table in self.tables if table[0][0] == corner)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in ("meta", "br"):
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
        self.text += "\n" if tag == "br" else ""

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"{tag} is closed where {self.open[-3:]} is open"

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.text += data
        if self.tables and self.tables[-1] and {"td", "th"} & set(self.open):
            self.tables[-1][-1][-1] += data
