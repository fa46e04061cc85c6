"""Compare: whether the second is better than the first."""

from ui.compare import view
from ui.parts import head, highlight

head.show("Compare", "Two runs, two models of a run, or two labellers, on the same samples.")
highlight.style()
view.show()
