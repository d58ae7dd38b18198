import numpy as np

from unnaive.evaluate.json_values import to_json_values


def test_numpy_numbers_become_numbers_and_nan_becomes_none():
    values = {"rows": np.int64(3), "scores": (0.5, float("nan")), "more": np.array([1.0, np.inf])}
    assert to_json_values(values) == {"rows": 3, "scores": [0.5, None], "more": [1.0, None]}
