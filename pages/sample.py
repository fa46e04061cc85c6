"""Sample: one sample under the lamp."""

from evaluators.text.language import say
from ui.parts import highlight, present, samples
from ui.runs import overview
from ui.sample import view as sample_view

run, cell = sample_view.chosen()
if run is not None and present.is_on():
    highlight.style()
    sample_view.presented_sample(run, cell)
else:
    overview.head_of_run(say("Sample"), say("One answer, what was judged of it, and why."), run)
    if run is None:
        overview.none_shown(say("Open a run and select a row there."))
    else:
        highlight.style()
        samples.leave_for(run)
        sample_view.show(run, sample_view.steps(run, cell).cell)
