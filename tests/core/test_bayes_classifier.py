"""What every classifier offers follows from its joint log scores."""

import numpy as np
import pytest

from tests.test_common import random_table
from unnaive import AODE, BayesianTensorClassifier, HigherOrderNB, MassBayes


def test_only_models_with_evidence_of_columns_offer_it():
    for model in (AODE(), HigherOrderNB(), MassBayes()):
        assert hasattr(model, "predict_evidence")
    assert not hasattr(BayesianTensorClassifier(), "predict_evidence")


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_all_predictions_agree_with_the_joint_log_scores(n_jobs):
    table, labels = random_table(0, 700)
    model = AODE(n_jobs=n_jobs).fit(table, labels)
    scores = model.predict_joint_log_proba(table)
    probabilities = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(table), probabilities, rtol=1e-12)
    np.testing.assert_allclose(model.predict_log_proba(table), np.log(probabilities), rtol=1e-9, atol=1e-12)
    assert model.predict(table).tolist() == model.classes_[scores.argmax(axis=1)].tolist()
