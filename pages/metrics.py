"""Metrics: one or several in a run, each with what it needs, and metrics of one's own."""

from evaluators.text.language import say
from ui import session
from ui.metrics import form as metric_form
from ui.metrics import own_metrics
from ui.metrics import results as metric_results
from ui.parts import samples
from ui.runs import overview, page

run = session.shown_run()
if run is not None and page.is_presented(run):
    page.presented_run(run, metric_results.blocks)
else:
    line = say("Measures beside RGB and TRACE, from comparing words to asking a judge.")
    overview.head_of_run(say("Metrics"), line, run)
    page.new_run(run, metric_form.show)
    if run is None:
        own_metrics.show()
        overview.none_shown(say("No run on this page yet. Metrics without a judge need no key."))
    else:
        samples.skip_link()
        overview.keep_link()
        page.watched(run, metric_results.card, metric_results.show)
        own_metrics.show()
