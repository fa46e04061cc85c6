"""Cards: a mean for each value, never without its interval and coverage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from evaluators.runs import aggregate
from evaluators.runs.store import Outline
from ui.parts.untrusted import plain


def means(
    rows: Sequence[Outline],
    values: Mapping[str, str],
    help: Mapping[str, str] | None = None,
) -> None:
    """One card for each of `values` (titles by name); `help` says what a value means."""
    grid = st.grid(min(3, len(values)), min_column_width=150)
    for name, title in values.items():
        mean = aggregate.summarise(rows, name)
        with grid.container(border=True, height="stretch"):
            st.metric(
                plain(title),
                "–" if mean.mean is None else f"{mean.mean:.2f}",
                help=(help or {}).get(name),
            )
            lines = [] if mean.low is None else [f"95 %: {mean.low:.2f} to {mean.high:.2f}"]
            lines.append(f"{mean.coverage} scored")
            if mean.not_applicable:
                lines.append(f"{mean.not_applicable} not applicable")
            if mean.failed:
                lines.append(f"{mean.failed} failed")
            # Two spaces before a line break make it one in Markdown.
            st.caption("  \n".join(lines))
