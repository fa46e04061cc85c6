"""The blocks of a document: texts as they are, said in the reader's language, without any look."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from evaluators.drawing import Size

Role = Literal["finding", "warning", "paragraph", "facts", "plain"]
"""What a text is: `facts` stand back, `plain` is a whole one with its spaces, such as a prompt."""


class Passage(NamedTuple):
    """A text; an empty one is shown nowhere."""

    text: str
    role: Role = "paragraph"


class Table(NamedTuple):
    """Texts under marked headings, whose first column names the rows; nothing without a row.

    The columns named in `numbers` hold numbers.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Collection[str] = ()


class Items(NamedTuple):
    """Texts, a line each."""

    texts: Iterable[str]


class Charts(NamedTuple):
    """Charts by name as SVG, drawn by the door that shows them, at its size."""

    draw: Callable[[Size], Mapping[str, str]]
    is_named: bool = False
    """Whether those without words of their own stand below their name."""


class Evidence(NamedTuple):
    """Samples with their marks, as markup that is made already."""

    markup: str


class Section(NamedTuple):
    """Blocks under a heading, folded where a page can; nothing where they show nothing."""

    title: str
    blocks: Sequence[Block]
    is_folded: bool = False


Block: TypeAlias = Passage | Table | Items | Charts | Evidence | Section
Blocks: TypeAlias = Sequence[Block]
