from importlib import import_module

import pytest

from unnaive.models import PUBLIC_NAMES


@pytest.mark.parametrize("name", sorted({*PUBLIC_NAMES} - {"SparseTensor"}))
def test_estimators_link_to_their_page_where_a_site_is_named(name, monkeypatch):
    estimator = getattr(import_module("unnaive"), name)
    estimator = estimator.__new__(estimator)
    monkeypatch.setenv("UNNAIVE_DOCS", "https://docs.example/unnaive/")
    assert estimator._get_doc_link() == f"https://docs.example/unnaive/api/{name}.html"
    monkeypatch.delenv("UNNAIVE_DOCS")
    assert estimator._get_doc_link() == ""
