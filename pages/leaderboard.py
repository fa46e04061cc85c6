"""Leaderboard: every model of several runs, by data set and ability."""

from evaluators.text.language import say
from ui.compare import leaderboard
from ui.parts import head

head.show(say("Leaderboard"), say("Every model of these runs, with ranks that can be told apart."))
leaderboard.show()
