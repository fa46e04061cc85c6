"""The differences of all values on one line: a table that is a forest plot, drawn at once."""

from __future__ import annotations

import streamlit as st

from evaluators.comparison import words
from evaluators.comparison.paired import Difference
from evaluators.comparison.result import Compared, Comparison
from evaluators.text.language import mark, say
from evaluators.text.markup import html
from evaluators.text.scale import BY_KIND, NO_VALUE
from evaluators.text.words import readable
from ui import script
from ui.parts import explained

STEPS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
"""Where the line may end, on both sides: the first that holds every interval."""

COUNTS, CHECKED = mark("Samples higher · equal · lower"), mark("Checked for both")


def show(comparison: Comparison) -> None:
    """Each value with both means, the difference with its interval, and how sure it is."""
    style = script.static("forest.css")
    end = _end(comparison)
    body = "".join(_forest_row(comparison, value, end) for value in comparison.values)
    head = _forest_head(comparison)
    st.html(
        f'<style>{style}</style><div class="pl-forest"><table><thead>{head}</thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _forest_head(comparison: Comparison) -> str:
    # A name of a file may be cut behind its low lines.
    first, second = (
        html(name).replace("_", "_<wbr>") for name in (comparison.first, comparison.second)
    )
    left = say("{name} higher", name=f"<bdi>{first}</bdi>")
    right = say("{name} higher", name=f"<bdi>{second}</bdi>")
    ends = f"<span>← {left}</span><span>{right} →</span>"
    cells = [
        f'<th scope="col">{say("Value")}</th>',
        f'<th scope="col"><bdi>{first}</bdi></th>',
        f'<th scope="col"><bdi>{second}</bdi></th>',
        f'<th scope="col" class="ends" aria-label="{say("Difference")}">{ends}</th>',
        f'<th scope="col">{say("Difference in points")}{explained.mark("interval")}</th>',
        f'<th scope="col">p{explained.mark("p_value")}</th>',
        f'<th scope="col">{say(COUNTS)}</th>',
        f'<th scope="col">{say(CHECKED)}</th>',
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _forest_row(comparison: Comparison, value: Compared, end: float) -> str:
    difference = value.difference
    title = readable(value.name)
    first, second = html(comparison.first), html(comparison.second)
    name = f'<th scope="row"><bdi>{html(title)}</bdi>{explained.mark(value.name)}</th>'
    coverage = f'<td class="number" data-title="{say(CHECKED)}">{value.coverage}</td>'
    # The line is hidden from screen readers: the cells beside it say the same in numbers.
    line = _track(difference, end) if difference else ""
    told = "told" if difference and difference.is_told_apart else "alike"
    cells = words.cells(difference, BY_KIND[value.kind])
    return (
        f'<tr class="{told}">{name}'
        f'<td class="number" data-title="{first}">{cells.first}</td>'
        f'<td class="number" data-title="{second}">{cells.second}</td>'
        f'<td class="line" aria-hidden="true">{line}</td>'
        f'<td class="number wide">{cells.points}</td>'
        f'<td class="number" data-title="p">{html(cells.p or NO_VALUE)}</td>'
        f'<td class="number" data-title="{say(COUNTS)}">{cells.counts}</td>'
        f"{coverage}</tr>"
    )


def _track(difference: Difference, end: float) -> str:
    """The zero line, the dot of the difference and the line of its interval."""
    parts = ['<span class="track"><s></s>']
    if difference.low is not None and difference.high is not None:
        left, right = _percent_of_axis(difference.low, end), _percent_of_axis(difference.high, end)
        parts.append(f'<i style="left: {left:.1f}%; width: {right - left:.1f}%"></i>')
    parts.append(
        f'<b style="left: {_percent_of_axis(difference.difference, end):.1f}%"></b></span>'
    )
    return "".join(parts)


def _percent_of_axis(difference: float, end: float) -> float:
    """Where a difference lies on the line, in percent of its length."""
    # 0 lies in the middle; what is beyond an end is drawn at it.
    return 50 + 50 * max(-1.0, min(1.0, difference / end))


def _end(comparison: Comparison) -> float:
    ends = [0.0]
    for value in comparison.values:
        difference = value.difference
        if difference:
            ends += [abs(difference.difference)]
            ends += [abs(end) for end in (difference.low, difference.high) if end is not None]
    # One scale for all rows: lengths can be compared from value to value.
    longest = max(ends)
    return next((step for step in STEPS if step >= longest), longest)
