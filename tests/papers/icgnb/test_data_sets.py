from unnaive.papers.icgnb.data_sets import is_twin


def test_only_data_sets_of_scikit_learn_have_a_twin():
    assert not is_twin("banana")
