from unnaive.papers.massbayes.models import make_models, make_variants, variant


def test_models_have_the_parameters_of_the_paper():
    assert repr(make_models(["BayesNet"])["BayesNet"]) == "BayesNet(initial='empty', max_parents=100)"


def test_variants_are_named_by_their_parameters():
    assert variant(5000, 100) == "ψ = 5,000, t = 100"
    assert [*make_variants([500, 5000], [10, 100])] == ["ψ = 500, t = 100", "ψ = 5,000, t = 100", "ψ = 5,000, t = 10"]
