"""RGB: noise robustness, negative rejection, information integration, counterfactual robustness."""

from evaluators.text.language import say
from ui import session
from ui.parts import samples
from ui.parts.words import RGB
from ui.rgb import form as rgb_form
from ui.rgb import results as rgb_results
from ui.runs import overview, page

run = session.shown_run("rgb")
if run is not None and page.is_presented(run):
    page.presented_run(run, rgb_results.blocks)
else:
    overview.head_of_run("RGB", say(RGB), run)
    page.new_run(run, rgb_form.show)
    if run is None:
        overview.none_shown(rgb_form.hint())
    else:
        samples.skip_link()
        overview.keep_link()
        page.watched(run, rgb_results.card, rgb_results.show)
