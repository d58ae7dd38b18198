import numpy as np
import pytest

from unnaive.papers.claims import Claim
from unnaive.papers.icgnb.experiment import _over_seeds, claims
from unnaive.papers.icgnb.seeds import BEST, BETTER, NEEDED, READINGS, Seeds, averages_by_seed, shares_by_claim
from unnaive.papers.rebuilt_table import DEPENDS, NOT_REPRODUCED, REPRODUCED

BASE = np.linspace(0.5, 0.9, 12)  # a column of accuracies over as many data sets


def seeds_of(ours, clipped, softmax):
    """As many seeds as there are levels of each model; all others are far below."""
    low = BASE - 0.3
    by_seed = {
        seed: {
            **{"ICGNB": BASE + mine, "ICGNB-N": low, "ICGNB-A": low},
            **{"AG-NBC": BASE + rival, "AG-NBC, softmax": BASE + other},
        }
        for seed, (mine, rival, other) in enumerate(zip(ours, clipped, softmax))
    }
    return Seeds(by_seed, dict.fromkeys(("WANBIA", "CFWNB", "AE-NBC", "GNB"), low))


def test_shares_are_over_all_pairs_of_seeds():
    seeds = seeds_of(ours=[0.02, 0.04], clipped=[0.03, 0.05], softmax=[0.0, 0.03])
    assert seeds.n_pairs == 4
    assert seeds.share(BEST, "AG-NBC") == 0.25  # .04 against .03
    assert seeds.share(BEST, "AG-NBC, softmax") == 0.75
    assert seeds.share(BETTER, "AG-NBC, softmax") == 0.75  # with a constant difference on twelve sets
    assert seeds.share("significantly better than GNB", "AG-NBC") == 1
    assert seeds.share("significantly better than AG-NBC", "AG-NBC, softmax") == 0.75
    assert seeds.share(NEEDED, "AG-NBC") == 1
    shares = shares_by_claim(seeds)
    assert shares.cells[BEST, "AG-NBC"].measured == 0.25
    averages = averages_by_seed(seeds)
    assert averages.cells["seed 1", "ICGNB"].measured == pytest.approx(0.74)
    assert averages.cells["mean", "ICGNB"].measured == pytest.approx(0.73)
    assert averages.cells["highest", "AG-NBC"].measured == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [([0.1, 0.1], REPRODUCED), ([-0.1, -0.1], NOT_REPRODUCED), ([0.1, 0.0], DEPENDS)],
)
def test_a_claim_that_holds_with_some_seeds_only_depends_on_the_seed(ours, verdict):
    seeds = seeds_of(ours, clipped=[0.05, 0.05], softmax=[0.05, 0.05])
    found = _over_seeds(Claim.judged("ICGNB is best", True, "averages"), BEST, seeds)
    assert found.verdict == verdict
    assert found.because.startswith("holds with ")
    assert all(reading in found.because for reading in READINGS)


def test_without_data_sets_seeds_decide_nothing():
    assert {claim.verdict for claim in claims(None, (), seeds_of([0.1], [0.0], [0.0]))} == {"not possible"}
