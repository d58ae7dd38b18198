"""What the papers' tables measure is what users import: our methods are the estimators that ``unnaive`` exports."""

import pytest
from sklearn.base import BaseEstimator

import unnaive
from unnaive import DecomposedTensorClassifier
from unnaive.models import MODELS, classifier_of
from unnaive.papers import PAPERS
from unnaive.papers.bat import models as bat
from unnaive.papers.dtc import experiment as dtc
from unnaive.papers.dtc import folds as dtc_folds
from unnaive.papers.honb import models as honb
from unnaive.papers.icgnb import experiment as icgnb_experiment
from unnaive.papers.icgnb import models as icgnb
from unnaive.papers.massbayes import experiment as massbayes_experiment
from unnaive.papers.massbayes import models as massbayes


class _Recorder(dtc_folds.Fold):
    """A fold that keeps the models it is asked to train instead of training them."""

    def fitted(self, model):
        return model


def models_of_dtc():
    fold = _Recorder(None, None, None, None, None, 0)
    variants = {name: fold.decomposed("cv", **parameters) for name, parameters in dtc_folds.VARIANTS.items()}
    return {**variants, **{name: MODELS[entry].make(**given) for name, (entry, given) in dtc.RIVALS.items()}}


MADE = {
    "honb": lambda: honb.make_models(honb.ALL),
    "icgnb": lambda: {
        **icgnb.make_models(),
        **{model.name: model.make_for_table() for model in icgnb_experiment._variants(0)},
    },
    "massbayes": lambda: {
        **massbayes.make_models([*massbayes._REGISTRY, "extra trees"]),
        **massbayes.make_variants(massbayes_experiment.SAMPLE_SIZES, massbayes_experiment.N_TREES),
    },
    "bat": bat.make_models,
    "dtc": models_of_dtc,
}
# Methods of each paper, by the beginning of their names in its tables.
OURS = {"honb": "HONB", "icgnb": "ICGNB", "massbayes": "MassBayes", "bat": "Bat", "dtc": "cp"}
# Models to compare with that are not ours, from elsewhere than scikit-learn: the plain machine of the paper on HONB.
BASELINES = {("honb", "SVM"): honb.PlainSVC}
EXPORTED = {getattr(unnaive, name) for name in unnaive.__all__}


def classifiers_in(model):
    """The classifier that decides, and those it is made of."""
    last = classifier_of(model)
    yield last
    for part in last.get_params(deep=False).values():
        if isinstance(part, BaseEstimator):
            yield from classifiers_in(part)


@pytest.mark.parametrize("paper", PAPERS)
def test_models_of_a_paper_are_exported_or_of_scikit_learn(paper):
    models = MADE[paper]()
    assert any(name.startswith(OURS[paper]) for name in models)
    for name, model in models.items():
        for classifier in classifiers_in(model):
            kind = type(classifier)
            if (paper, name) in BASELINES:
                assert kind is BASELINES[paper, name]
            elif kind.__module__.partition(".")[0] != "sklearn":
                assert kind in EXPORTED, f"{name} of {paper} is {kind}"


@pytest.mark.parametrize("paper", PAPERS)
def test_methods_of_a_paper_are_ours(paper):
    own = {name: model for name, model in MADE[paper]().items() if name.startswith(OURS[paper])}
    assert all(type(classifier_of(model)) in EXPORTED for model in own.values())


def test_every_decomposition_is_the_public_classifier():
    assert all(type(model) is DecomposedTensorClassifier for model in [*models_of_dtc().values()][:5])
