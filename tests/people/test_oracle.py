"""Our corrected means beside those of truescore, a library of others (development only)."""

import numpy as np
import pytest

from evaluators.people.correction import Stratum, corrected_mean, corrected_rate, labelled_rate
from evaluators.statistics import kappa, wilson
from tests.people.simulation import SCENARIOS

truescore = pytest.importorskip(
    "truescore", reason="truescore is not installed; make test installs it"
)


def answers(seed):
    """500 answers: what people would say, what a judge says, and which 80 are labelled."""
    rng = np.random.default_rng(seed)
    people = np.clip(rng.normal(0.6, 0.2, 500), 0, 1)
    judge = np.clip(0.7 * people + 0.3 + rng.normal(0, 0.1, 500), 0, 1)
    return people, judge, rng.permutation(500)[:80]


@pytest.mark.parametrize("seed", range(5))
def test_a_corrected_mean_is_that_of_truescore(seed):
    people, judge, labelled = answers(seed)
    others = np.setdiff1d(np.arange(500), labelled)

    ours = corrected_mean(judge[others], judge[labelled], people[labelled])
    theirs = truescore.ppi_estimate(judge, people[labelled], labelled)

    assert ours.mean == pytest.approx(theirs.point, abs=0.002)
    # Student's quantile and the label that is half off make ours somewhat wider
    width = theirs.high - theirs.low
    assert width < 2 * ours.half < 1.6 * width


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_corrected_rate_is_that_of_truescores_strata(scenario):
    rng = np.random.default_rng(3)
    truths = rng.random(1000) < scenario.rate
    said_yes = np.where(truths, scenario.sensitivity, 1 - scenario.specificity)
    verdicts = rng.random(1000) < said_yes
    labelled = rng.permutation(1000)[:300]
    strata = [
        Stratum(
            int((verdicts == verdict).sum()),
            int((verdicts[labelled] == verdict).sum()),
            int(truths[labelled][verdicts[labelled] == verdict].sum()),
        )
        for verdict in (True, False)
    ]

    ours = corrected_rate(strata)
    theirs = truescore.ppi_estimate(
        verdicts.astype(float), truths[labelled].astype(float), labelled
    )

    # Another method: with 300 labels they differ by far less than their width
    assert ours.mean == pytest.approx(theirs.point, abs=0.01)
    assert 2 * ours.half == pytest.approx(theirs.high - theirs.low, rel=0.2)


@pytest.mark.parametrize(("yes", "total"), [(4, 7), (0, 10), (50, 100), (1, 1)])
def test_the_labels_alone_have_truescores_interval(yes, total):
    ours = labelled_rate([1] * yes + [0] * (total - yes))
    theirs = truescore.wilson_interval(yes, total)

    assert (ours.low, ours.high) == wilson(yes, total)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-6)


def test_kappa_is_truescores():
    table = [[20, 5], [10, 15]]
    judge = [1] * 25 + [0] * 25
    people = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15

    assert kappa(table) == pytest.approx(truescore.cohen_kappa(judge, people))
