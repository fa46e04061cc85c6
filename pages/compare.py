"""Compare: whether the others are better than the first."""

from ui.compare import view
from ui.parts import head, highlight

head.show("Compare", "Is it better? Runs, models or labellers on the same samples.")
highlight.style()
highlight.style_of_marks()
view.show()
