from unnaive import InstanceGraphNB, NaiveBayes
from unnaive.papers.icgnb.models import GRAPH_MODELS, make_models


def test_the_ablations_are_parameters_of_the_public_estimator():
    models = make_models("a folder", n_epochs=3)
    assert repr(models["GNB"]) == "NaiveBayes(numeric='gaussian')"
    assert isinstance(models["GNB"], NaiveBayes)
    assert {name for name, model in models.items() if type(model) is InstanceGraphNB} == set(GRAPH_MODELS)
    parts = {name: (models[name].embedding, models[name].augment, models[name].weight) for name in GRAPH_MODELS}
    assert parts == {
        "ICGNB": ("sample", True, True),
        "ICGNB, means": ("mean", True, True),
        "ICGNB-N": ("sample", False, False),
        "ICGNB-A": ("sample", True, False),
        "ICGNB-N, means": ("mean", False, False),
        "ICGNB-A, means": ("mean", True, False),
    }
    assert {(models[name].n_epochs, models[name].memory) for name in GRAPH_MODELS} == {(3, "a folder")}
