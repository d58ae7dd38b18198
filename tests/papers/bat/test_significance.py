import numpy as np

from unnaive.papers.bat.significance import Judged


def test_signs_say_which_score_is_better():
    scores = {"Bat": np.array([0.9, 0.8]), "NB": np.array([0.8, 0.8])}
    assert Judged(scores, lambda mine, other: [1, 0], True).signs("Bat", "NB") == [1, 0]
