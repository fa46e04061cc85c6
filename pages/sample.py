"""Sample: one sample under the lamp."""

from ui.parts import head, highlight, samples
from ui.runs import overview
from ui.sample import view as sample_view

head.show("Sample", "One answer, what was judged of it, and why.")
run, cell = sample_view.chosen()
overview.say_first(run)
if run is None:
    overview.none_shown("Open a run and select a row there.")
else:
    highlight.style()
    samples.leave_for(run)
    sample_view.show(run, sample_view.steps(run, cell))
