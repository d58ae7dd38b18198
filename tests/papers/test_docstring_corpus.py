from unnaive.papers.docstring_corpus import docstrings


def test_every_package_has_as_many_docstrings_as_asked_for():
    texts, packages = docstrings(3)
    assert packages[:4] == ["numpy", "numpy", "numpy", "pandas"]
    assert len(texts) == 12
