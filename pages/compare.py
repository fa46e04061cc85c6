"""Compare: whether the others are better than the first."""

from evaluators.text.language import say
from ui.compare import view
from ui.parts import head, highlight

head.show(
    say("Compare"), say("Is it better? Runs, models, labellers or groups on the same samples.")
)
highlight.style()
highlight.style_of_marks()
view.show()
