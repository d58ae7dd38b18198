"""Documents become tensors of the terms that meet in their units."""

import gzip
import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tests.examples import examples
from tests.naive_reference.patterns import unit_tensors
from unnaive.tensors.sparse_tensor import SparseTensor
from unnaive.text.terms import Terms
from unnaive.text.text_tensor import TextTensor

FIGURE = "so Fone and Ftwo or Fthree\n\nso Ffour or Fone or Ffive\nFsix too\n\nthen Ftwo and Fsix by Fone"
WORDS = ["aa", "bb", "cc", "dd"]

units_of_documents = st.lists(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), max_size=4), min_size=1, max_size=6
)


def plain(**parameters):
    """Tensors of words as they are."""
    return TextTensor(**{"stop_words": None, "stemmer": None, **parameters})


def stripped(pieces):
    return [" ".join(piece.split()) for piece in pieces]


# Tensors


def test_the_papers_second_figure_as_its_text_has_it():
    words = ["fone", "ftwo", "fthree", "ffour", "ffive", "fsix"]
    tensors = plain(max_terms=None)
    found = tensors.fit_transform([FIGURE]).to_dense()[0]
    order = [tensors.get_feature_names_out().tolist().index(word) for word in words]
    assert found[np.ix_(order, order)].tolist() == [
        [3, 2, 1, 1, 1, 2],
        [2, 2, 1, 0, 0, 1],
        [1, 1, 1, 0, 0, 0],
        [1, 0, 0, 1, 1, 1],
        [1, 0, 0, 1, 1, 1],
        [2, 1, 0, 1, 1, 2],
    ]


def test_three_modes_count_the_paragraphs_that_have_all_three_terms():
    tensors = plain(n_modes=3, max_terms=None)
    found = tensors.fit_transform([FIGURE]).to_dense()[0]
    at = {word: place for place, word in enumerate(tensors.get_feature_names_out())}
    one, two, three, six = (at[word] for word in ("fone", "ftwo", "fthree", "fsix"))
    assert found[one, one, one] == 3
    assert found[one, two, three] == found[three, one, two] == 1
    assert found[one, two, six] == 1
    assert found[one, one, two] == found[two, one, two] == 2  # paragraphs with both
    assert found[two, three, six] == 0


@given(units_of_documents, units_of_documents, st.integers(1, 3), st.sampled_from(["paragraph", "sentence"]))
@examples(60)
def test_tensors_are_those_of_the_definition(training, documents, n_modes, unit):
    between = {"paragraph": "\n \n", "sentence": ".\n "}[unit]
    texts, new = ([between.join(map(" ".join, units)) for units in some] for some in (training, documents))
    if not any(training):
        return
    tensors = plain(n_modes=n_modes, unit=unit).fit(texts)
    terms = tensors.get_feature_names_out().tolist()
    for written, units in ((texts, training), (new, documents)):
        np.testing.assert_array_equal(tensors.transform(written).to_dense(), unit_tensors(units, terms, n_modes))


@given(units_of_documents, units_of_documents, st.integers(1, 2))
@examples(40)
def test_tfidf_multiplies_cells_by_the_logarithm_of_their_rarity(training, documents, n_modes):
    texts, new = (["\n\n".join(map(" ".join, units)) for units in some] for some in (training, documents))
    if not any(training):
        return
    counts = plain(n_modes=n_modes).fit(texts)
    in_documents = np.count_nonzero(counts.transform(texts).to_dense(), axis=0)
    weights = np.log(len(texts) / np.maximum(in_documents, 1))
    tensors = plain(n_modes=n_modes, weighting="tfidf").fit(texts)
    for some in (texts, new):
        found = tensors.transform(some).to_dense()
        np.testing.assert_allclose(found, counts.transform(some).to_dense() * weights, rtol=1e-12)


def test_a_unit_counts_once_however_often_its_terms_occur():
    found = plain().fit_transform(["aa aa aa bb bb\n\naa bb"]).to_dense()[0]
    assert found.tolist() == [[4, 2], [2, 3]]


def test_terms_are_those_that_say_most_about_the_class_as_terms_chooses_them():
    documents = ["cats purr. the dog", "cats purr", "dogs bark and cats", "the dogs bark", "dogs, dogs"]
    y = ["pet", "pet", "guard", "guard", "guard"]
    tensors = TextTensor(max_terms=3, min_documents=2).fit(documents, y)
    terms = Terms(max_terms=3, min_documents=2, counts=True).fit(documents, y)
    assert tensors.terms_.vocabulary_ == terms.vocabulary_
    assert tensors.get_feature_names_out().tolist() == terms.get_feature_names_out().tolist()
    np.testing.assert_array_equal(
        tensors.transform(documents).diagonal().toarray(), terms.transform(documents).toarray()
    )


def test_empty_missing_and_unknown_documents_are_tensors_of_zeros():
    tensors = plain().fit(["aa bb"])
    found = tensors.transform(["", None, "zz", [], "aa"])
    assert found.shape == (5, 2, 2)
    assert found.to_dense().sum(axis=(1, 2)).tolist() == [0, 0, 0, 0, 1]
    assert tensors.transform([None]).nnz == 0


def test_a_single_term_has_a_single_cell():
    assert plain(n_modes=3).fit_transform(["aa aa", "aa"]).to_dense().ravel().tolist() == [2, 1]


# Units


@pytest.mark.parametrize(
    ("text", "paragraphs"),
    [
        ("one\ntwo", ["one two"]),
        ("one\n\ntwo", ["one", "two"]),
        ("one\n \t \ntwo\n\n\n\nthree\n", ["one", "two", "three"]),
        ("one\r\n\r\ntwo\r\nmore", ["one", "two more"]),
        ("one\nof it\n    Two\nof it\n    Three", ["one of it", "Two of it", "Three"]),
        ("one\n\tTwo", ["one", "Two"]),
        ("one.\n Two.", ["one. Two."]),  # a single blank indents nothing
        ("\n\n", []),
        ("", []),
    ],
)
def test_paragraphs_begin_after_blank_lines_and_at_indented_lines(text, paragraphs):
    assert stripped(TextTensor().units(text)) == paragraphs


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("One\nand more.\nTwo", ["One and more.", "Two"]),
        ("It is 3.5 or so. approx. and e.g. this.", ["It is 3.5 or so. approx. and e.g. this."]),
        ('He said "no." "Why?" (She left.) Éva too.', ['He said "no."', '"Why?"', "(She left.)", "Éva too."]),
        ("a title\n a first line.\n a second", ["a title", "a first line.", "a second"]),
        ("a title\n\nand more", ["a title", "and more"]),
        ("A. B. C.", ["A.", "B.", "C."]),
        ("U.S.A", ["U.S.A"]),
    ],
)
def test_sentences_begin_with_capitals_after_end_marks_and_at_indented_lines(text, sentences):
    assert stripped(TextTensor(unit="sentence").units(text)) == sentences


def test_windows_are_cut_one_after_the_other_and_count_stop_words():
    assert TextTensor(unit=2).units("The cats, and DOGS: bark!") == ["the cats, ", "and dogs: ", "bark!"]
    assert TextTensor(unit=9).units("The cats") == ["the cats"]
    tensors = TextTensor(unit=2)
    found = tensors.fit_transform(["The cats and dogs bark"]).to_dense()[0]
    assert tensors.get_feature_names_out().tolist() == ["bark", "cat", "dog"]
    assert found.tolist() == np.eye(3).tolist()


def test_a_list_of_terms_is_one_paragraph_or_windows_of_terms():
    document = ["aa", "bb", "aa", 7]
    assert TextTensor().units(document) == TextTensor(unit="sentence").units(document) == [["aa", "bb", "aa", "7"]]
    assert TextTensor(unit=3).units(document) == [["aa", "bb", "aa"], ["7"]]
    assert plain(unit=2).fit_transform([document]).to_dense()[0].tolist() == [[1, 1, 0], [1, 2, 1], [0, 1, 1]]


def test_parts_of_mail_are_left_out_before_the_text_is_cut():
    post = "From: ann@example.org\nSubject: Tea time\n\nShall we have tea?\n\n> No tea for me\n"
    assert stripped(TextTensor(mail=["headers", "quotes"]).units(post)) == ["Tea time Shall we have tea?"]
    tensors = plain(mail=["headers", "quotes"])
    found = tensors.fit_transform([post]).to_dense()[0]
    tea = tensors.get_feature_names_out().tolist().index("tea")
    assert found[tea, tea] == 2
    assert "ann" not in tensors.terms_.vocabulary_


def test_parts_of_mail_are_not_looked_for_again_in_units():
    post = "Dear all\n\n--\nkept words\n\n" + 12 * "more to read\n"  # too long for a signature
    tensors = plain(mail=["signatures"])
    found = tensors.fit_transform([post]).to_dense()[0]
    assert found[tensors.terms_.vocabulary_["kept"], tensors.terms_.vocabulary_["words"]] == 1


# As scikit-learn's


def test_the_texts_of_a_frame_make_a_document_and_its_columns_are_remembered():
    X = pd.DataFrame({"title": ["aa", "bb"], "body": ["bb", "cc"]})
    tensors = plain().fit(X)
    assert tensors.feature_names_in_.tolist() == ["title", "body"]
    np.testing.assert_array_equal(tensors.transform(X).to_dense(), tensors.transform(["aa\nbb", "bb\ncc"]).to_dense())
    with pytest.raises(ValueError, match="feature names"):
        tensors.transform(X[["body", "title"]])
    assert not hasattr(tensors.fit(["aa"]), "feature_names_in_")


def test_fit_transform_is_fit_and_transform_of_any_iterable():
    texts = ["aa bb", "bb\n\naa", "cc"]
    for weighting in ("count", "tfidf"):
        once = plain(weighting=weighting).fit_transform(iter(texts)).to_dense()
        np.testing.assert_array_equal(once, plain(weighting=weighting).fit(texts).transform(texts).to_dense())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"unit": "page"}, "unit"),
        ({"unit": 0}, "unit"),
        ({"n_modes": 0}, "n_modes"),
        ({"max_terms": 0}, "max_terms"),
        ({"weighting": "idf"}, "weighting"),
        ({"stemmer": "portr"}, "did you mean 'porter'"),
        ({"mail": ["header"]}, "mail names 'header'"),
        ({"token_pattern": "("}, "not a regular expression"),
        ({"token_pattern": "(a)(b)", "unit": 3}, "2 groups"),
        ({"min_documents": 3}, "Lower min_documents"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        TextTensor(**parameters).fit(["cats", "dogs"])


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="Put it in a list"):
        TextTensor().fit("one text")
    with pytest.raises(ValueError, match="X has 2 documents, but y has 1 labels"):
        TextTensor().fit(["cats", "dogs"], ["a"])
    with pytest.raises(ValueError, match="No document has any term"):
        TextTensor().fit(["", "the"])
    with pytest.raises(NotFittedError):
        TextTensor().transform(["cats"])


# Real texts


@pytest.fixture
def read_some(data_folder):
    """A function that reads the first records of a file."""

    def read(name, number):
        with gzip.open(data_folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            return [json.loads(line) for _, line in zip(range(number), lines)]

    return read


def test_reuters_is_cut_at_its_indented_lines(read_some):
    text = read_some("reuters21578", 1)[0]["text"]
    pieces = TextTensor().units(text)
    assert pieces[0].startswith("Showers continued")
    assert stripped(pieces)[1] == "The dry period means the temporao will be late this year."
    assert len(pieces) == 1 + sum(line.startswith("    ") and bool(line.strip()) for line in text.split("\n"))


def test_ohsumed_is_cut_at_its_lines(read_some):
    records = read_some("ohsumed23", 300)
    lines = stripped(TextTensor(unit="sentence").units(records[0]["text"]))
    assert lines == stripped(records[0]["text"].strip().split("\n"))
    assert len(TextTensor().units(records[0]["text"])) == 1


def test_each_fold_of_a_pipeline_has_its_own_terms(read_some):
    records = [record for record in read_some("reuters21578", 3000) if record["label"] in (["earn"], ["acq"])][:300]
    texts, y = [record["text"] for record in records], [record["label"][0] for record in records]
    pipeline = make_pipeline(
        TextTensor(max_terms=20), FunctionTransformer(SparseTensor.to_matrix), LogisticRegression(max_iter=2000)
    )
    folds = list(KFold(3).split(texts))
    done = cross_validate(pipeline, texts, y, cv=folds, return_estimator=True, error_score="raise")
    chosen = [set(estimator[0].terms_.vocabulary_) for estimator in done["estimator"]]
    for (rows, _), vocabulary in zip(folds, chosen):
        own = Terms(max_terms=20).fit([texts[row] for row in rows], [y[row] for row in rows])
        assert vocabulary == set(own.vocabulary_)
    assert chosen[0] != chosen[1]


@pytest.mark.parametrize("n_modes", [6, 12, 10**9])
def test_tensors_without_bounds_are_refused_before_they_are_made(n_modes):
    words = ["".join(letters) for letters in product("abcd", repeat=3)][:40]
    tensors = TextTensor(n_modes=n_modes, stop_words=None, stemmer=None)
    with pytest.raises(ValueError, match=rf"n_modes={n_modes} modes of 40 features each .* Lower n_modes or max_terms"):
        tensors.fit([" ".join(words)])
    assert not hasattr(tensors, "terms_")
