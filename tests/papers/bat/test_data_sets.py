from unnaive.papers.bat.data_sets import stand_in


def test_docstrings_stand_in_for_documents():
    assert stand_in().n_classes == 4
