"""Charts as records, and as SVG text for papers, slides and pages: nothing is loaded or runs in it.

Words take the colour of the text around them, so that a figure in a page is read in the light and
in the dark; alone it is black on nothing, as print wants it.
"""

from evaluators.drawing.chart import Chart as Chart
from evaluators.drawing.chart import Curve as Curve
from evaluators.drawing.chart import CurveChart as CurveChart
from evaluators.drawing.chart import IntervalChart as IntervalChart
from evaluators.drawing.chart import IntervalRow as IntervalRow
from evaluators.drawing.chart import Point as Point
from evaluators.drawing.curves import draw_curves as draw_curves
from evaluators.drawing.intervals import draw_intervals as draw_intervals
from evaluators.drawing.svg import DOUBLE as DOUBLE
from evaluators.drawing.svg import SINGLE as SINGLE
from evaluators.drawing.svg import SIZES as SIZES
from evaluators.drawing.svg import SLIDE as SLIDE
from evaluators.drawing.svg import Size as Size


def draw(chart: Chart, size: Size = DOUBLE) -> str:
    """The chart as SVG."""
    if isinstance(chart, CurveChart):
        return draw_curves(chart, size)
    return draw_intervals(chart, size)
