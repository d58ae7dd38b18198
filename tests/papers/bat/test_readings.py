import numpy as np
import pytest

from unnaive.papers.bat.experiment import all_against_all
from unnaive.papers.bat.printed import TABLES_4_TO_6, printed_lines
from unnaive.papers.bat.readings import order_agreement
from unnaive.papers.bat.significance import Judged


def judged(order):
    """Models of which each is significantly better than those that come after it, on one data set."""
    scores = {name: np.array([1.0 - place]) for place, name in enumerate(order)}
    return Judged(scores, lambda mine, other: [1 if order.index(mine) < order.index(other) else -1], True)


def test_agreement_with_the_printed_order_is_one_for_the_same_order_and_minus_one_for_its_reverse():
    bias = printed_lines(TABLES_4_TO_6, 3)[0]
    order = sorted(bias, key=lambda model: bias[model][2] - bias[model][0])
    found = order_agreement(
        {"same": {"bias": judged(order)}, "reverse": {"bias": judged(order[::-1])}}, all_against_all
    )
    assert found.cells["Table 4: bias", "same"].measured == pytest.approx(1)
    assert found.cells["Table 4: bias", "reverse"].measured == pytest.approx(-1)
    assert np.isnan(found.cells["Table 6: AUC-PR", "same"].measured)
