import numpy as np

from unnaive import DecomposedTensorClassifier
from unnaive.papers.dtc.figures import squared_errors


def test_squared_errors_fall_with_every_component():
    X = np.array([["a", "c"], ["a", "d"], ["a", "d"], ["a", "d"], ["b", "c"], ["a", "c"]])
    y = [1, 1, 1, 2, 2, 2]
    model = DecomposedTensorClassifier(n_components=3, decomposition="cp", init="svd", max_sweeps=500).fit(X, y)
    assert squared_errors(model, X, y)[:3].round(4).tolist() == [0.0278, 0.0023, 0.0005]
