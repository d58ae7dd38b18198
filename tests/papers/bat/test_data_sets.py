import pandas as pd

from unnaive.papers.bat.data_sets import FoldTensors, make_models, stand_in


def test_docstrings_stand_in_for_documents():
    assert stand_in().n_classes == 4


def test_vectors_are_capped_counts_of_terms():
    posts = pd.DataFrame({"sentence": ["Dogs bark, bark, bark, bark.", "Dogs bark. Cats purr."]})
    assert FoldTensors("vector").fit_transform(posts, ["a", "b"]).tolist() == [[3, 0, 1, 0], [1, 1, 1, 1]]
    assert make_models()["NB, vector"]["tensors"].shape == "vector"
