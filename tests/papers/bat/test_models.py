import pandas as pd

from unnaive.papers.bat.models import FoldTensors, make_models


def test_vectors_are_capped_counts_of_terms():
    posts = pd.DataFrame({"sentence": ["Dogs bark, bark, bark, bark.", "Dogs bark. Cats purr."]})
    assert FoldTensors("vector").fit_transform(posts, ["a", "b"]).tolist() == [[3, 0, 1, 0], [1, 1, 1, 1]]
    assert make_models()["NB, vector"]["tensors"].shape == "vector"
