"""How the rows of a file are laid out: what lies in them is read as columns of their own.

It is told by many rows together, and then each can be read alone.
"""

from __future__ import annotations

from typing import NamedTuple

from evaluators.datasets.cells import lists_in_time
from evaluators.datasets.columns import names_of
from evaluators.datasets.conversations import conversation_in, with_last_turns
from evaluators.datasets.nested import path_to_questions, with_one_question_each
from evaluators.datasets.numbered import Numbered, numbered_columns, with_lists
from evaluators.datasets.table import Table


class Layout(NamedTuple):
    """The keys that lead to the one question of each row, columns that are numbered, and the column
    of conversations; all empty in a plain file.
    """

    questions: tuple[str, ...] = ()
    numbered: tuple[Numbered, ...] = ()
    conversation: str = ""

    def applied(self, table: Table) -> Table:
        """The table, or some of its rows, with these columns."""
        alone = with_one_question_each(table, self.questions)
        return with_last_turns(with_lists(alone, self.numbered), self.conversation)


@lists_in_time
def layout_of(table: Table) -> Layout:
    """How the rows are laid out, in the order in which one thing may lie in another."""
    layout = Layout(path_to_questions(table))
    layout = layout._replace(numbered=numbered_columns(names_of(layout.applied(table))))
    return layout._replace(conversation=conversation_in(layout.applied(table)))
