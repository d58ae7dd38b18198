import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.pipeline import Pipeline

from unnaive import NaiveBayes
from unnaive.evaluate.compare import compare
from unnaive.evaluate.splits import split
from unnaive.io.datasets import Dataset


def test_rows_with_saturated_probabilities_are_ranked_by_their_log_odds():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    once = rng.random((200, 4)) < np.where(y, 0.65, 0.35)[:, None]
    X = pd.DataFrame(np.tile(once, 60), columns=[f"x{column}" for column in range(240)]).astype("category")
    names = {"nb": NaiveBayes(), "pipe": Pipeline([("nb", NaiveBayes())]), "logistic": LogisticRegression(C=1e6)}
    found = compare(names, {"copies": (X, y)}, test_size=0.5, metrics=["auc_pr", "roc_auc"])
    train, test = split(Dataset("", X, y, ""), 0, 0, 10, 0.5, 0)
    model = NaiveBayes().fit(X.iloc[train], y[train])
    joint, probabilities = model.predict_joint_log_proba(X.iloc[test]), model.predict_proba(X.iloc[test])
    odds = joint[:, 1] - joint[:, 0]
    assert (probabilities.max(axis=1) == 1).mean() > 0.5  # most rows are saturated

    def area(one, zero):
        return (average_precision_score(y[test] == 1, one) + average_precision_score(y[test] == 0, zero)) / 2

    expected = area(odds, -odds)
    assert expected > area(probabilities[:, 1], probabilities[:, 0]) + 0.01
    for name in ("nb", "pipe"):
        assert found.scores("auc_pr")[0, found.models.index(name)] == pytest.approx(expected, abs=1e-12)
    plain = LogisticRegression(C=1e6).fit(X.iloc[train], y[train])
    margin = plain.decision_function(X.iloc[test])
    of_logistic = found.scores("auc_pr")[0, found.models.index("logistic")]
    assert of_logistic == pytest.approx(area(margin, -margin), abs=1e-12)
