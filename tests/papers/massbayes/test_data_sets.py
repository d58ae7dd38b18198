from unnaive.papers.massbayes.data_sets import read_set


def test_synthetic_data_sets_have_the_rows_of_the_paper_or_as_many_as_asked_for():
    assert read_set("Wave").X.shape == (20000, 2)
    assert read_set("RingCurve", n_drawn=100).n_rows == 100
