"""Learn: five short lessons to play, and what every value, rule and word means."""

from ui.learn import view

view.show()
