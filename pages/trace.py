"""TRACE: relevance, utilization, completeness and adherence, from sentence labels."""

from evaluators.text.language import say
from ui import session
from ui.parts import samples
from ui.parts.words import TRACE
from ui.runs import overview, page
from ui.trace import form as trace_form
from ui.trace import results as trace_results

run = session.shown_run("trace")
if run is not None and page.is_presented(run):
    page.presented_run(run, trace_results.blocks)
else:
    overview.head_of_run("TRACE", say(TRACE), run)
    page.new_run(run, trace_form.show)
    if run is None:
        overview.none_shown(say("No run on this page yet. The heuristic needs no key."))
    else:
        samples.skip_link()
        overview.keep_link()
        page.watched(run, trace_results.card, trace_results.show)
