"""The tables in a page give the answers of the model, and models without such tables are refused."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tests.show.what_if.evaluation import probabilities, unpacked
from tests.show.what_if.models import MODELS, fitted
from tests.test_common import random_table
from unnaive import AODE, AnDE, AODEsr, NaiveBayes, PooledBayes
from unnaive.show.what_if.columns import columns_of, rows_of
from unnaive.show.what_if.packed import packed_json
from unnaive.show.what_if.tables import check_model, tables_of


def data_of(model, rows):
    contents = {"model": tables_of(model), "columns": columns_of(model), "rows": rows_of(model, rows)}
    return unpacked(packed_json({**contents, "classes": model.classes_.tolist()}))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_the_tables_give_the_probabilities_of_the_model(name, n_classes):
    model, rows = fitted(name, n_classes)
    data = data_of(model, rows)
    found = [probabilities(data, row["values"]) for row in data["rows"]]
    np.testing.assert_allclose(found, model.predict_proba(rows), atol=1e-12)


@pytest.mark.parametrize("n_columns", [1, 2])
@pytest.mark.parametrize("model", [AODE(), AnDE(n=2), AnDE(n=3), AnDE(n=3, weighted=True)])
def test_tables_of_fewer_columns_than_parents_fall_back_to_fewer_parents(model, n_columns):
    table, labels = random_table(5, 60)
    table = table.iloc[:, :n_columns]
    data = data_of(model.fit(table, labels), table)
    found = [probabilities(data, row["values"]) for row in data["rows"]]
    np.testing.assert_allclose(found, model.predict_proba(table), atol=1e-12)


def test_rows_of_fractional_weight_and_parameters_set_after_the_fit_change_nothing():
    table, labels = random_table(3, 80)
    model = AODE().fit(table, labels, sample_weight=np.linspace(0.1, 2.0, 80))
    expected = model.predict_proba(table)
    model.set_params(m=50, frequency_limit=7)
    data = data_of(model, table)
    np.testing.assert_allclose([probabilities(data, row["values"]) for row in data["rows"]], expected, atol=1e-12)


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (PooledBayes(), "is PooledBayes, whose answers do not follow from tables"),
        (AODEsr(), "is AODEsr, whose answers"),
        (NaiveBayes(numeric="kernel"), 'is NaiveBayes with numeric="kernel"'),
        (AnDE(subsumption=50), "is AnDE with subsumption"),
        (make_pipeline(FunctionTransformer(), NaiveBayes()), "is NaiveBayes within a pipeline"),
    ],
)
def test_other_models_are_refused_with_those_that_can(model, why):
    with pytest.raises(ValueError, match=why) as refused:
        check_model(model)
    assert "NaiveBayes, TAN, KDB, BayesNet, HiddenNaiveBayes, AODE, WAODE, AnDE" in str(refused.value)
