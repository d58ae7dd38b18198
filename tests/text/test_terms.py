import gzip
import itertools
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import skops.io
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from sklearn.model_selection import KFold, cross_validate
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

from tests.naive_reference.information import entropy
from unnaive.text.mail import without_headers, without_parts, without_quotes, without_signature
from unnaive.text.terms import Terms

POSTS = ["The cats purred.", "A cat is purring again", "Dogs bark", "bark, bark, bark!", "cats and dogs"]
LABELS = ["pet", "pet", "guard", "guard", "pet"]

documents_of_terms = st.lists(st.lists(st.sampled_from("abcde"), max_size=6), min_size=1, max_size=10)


def plain(**parameters):
    """Terms that leave words as they are."""
    return Terms(**{"stop_words": None, "stemmer": None, **parameters})


def same(one, other):
    """Whether two sparse matrices hold the same numbers of the same type."""
    return one.shape == other.shape and one.dtype == other.dtype and (one != other).nnz == 0


def columns_of(documents, **parameters):
    """A dict of each term's column of the matrix."""
    terms = Terms(**parameters)
    matrix = terms.fit_transform(documents).toarray()
    return {term: matrix[:, column].tolist() for term, column in terms.vocabulary_.items()}


# Words


def test_text_becomes_stems_without_stop_words_in_alphabetical_columns():
    terms = Terms()
    matrix = terms.fit_transform(POSTS)
    assert list(terms.vocabulary_.items()) == [("bark", 0), ("cat", 1), ("dog", 2), ("pur", 3)]
    assert terms.get_feature_names_out().tolist() == ["bark", "cat", "dog", "pur"]
    assert matrix.toarray().tolist() == [[0, 1, 0, 1], [0, 1, 0, 1], [1, 0, 1, 0], [1, 0, 0, 0], [0, 1, 1, 0]]
    assert terms.document_count_.tolist() == [2, 3, 2, 2]
    assert terms.n_documents_ == 5
    assert terms.information_gain_ is None


@pytest.mark.parametrize("counts", [False, True])
def test_the_matrix_is_a_canonical_csr_matrix_of_int64(counts):
    terms = Terms(counts=counts, max_terms=3)
    for matrix in (terms.fit_transform(POSTS), terms.transform(POSTS)):
        assert isinstance(matrix, csr_matrix)
        assert matrix.dtype == np.int64
        assert matrix.has_canonical_format
        assert matrix.max() == (3 if counts else 1)


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("relational", "relat"),
        ("hopping", "hop"),
        ("electrical", "electr"),
        ("happy", "happi"),
        ("sky", "sky"),
        ("adjustment", "adjust"),
        ("generalizations", "gener"),
    ],
)
def test_porter_stems_are_those_of_porters_paper(word, stem):
    assert Terms().tokens(word.upper()) == [stem]


def test_another_stemmer_of_snowball_can_be_named():
    assert Terms(stemmer="german", stop_words=None).tokens("Häuser") == ["haus"]
    assert Terms(stemmer="english").tokens("generate") == ["generat"] != Terms().tokens("generate")


def test_stop_words_are_compared_in_small_letters_and_before_stemming():
    text = "This being cats, Cat; THE catS"
    assert Terms(stop_words={"Cats"}, stemmer=None).tokens(text) == ["this", "being", "cat", "the"]
    assert Terms(stop_words=["cat"]).tokens("cat cats") == ["cat"]
    assert Terms().tokens(text) == ["cat", "cat", "cat"]
    assert Terms().tokens(" ".join(ENGLISH_STOP_WORDS)) == []


def test_words_are_runs_of_at_least_two_letters_of_any_alphabet():
    assert plain().tokens("I x-ray 3D_model, naïve42été Ünder straße Ωμέγα") == [
        *("ray", "model", "naïve", "été", "ünder", "straße", "ωμέγα")
    ]


def test_a_group_of_the_pattern_is_the_word_and_empty_matches_are_none():
    assert plain(token_pattern=r"#(\w+)").tokens("see #Cats and #dogs") == ["cats", "dogs"]
    assert plain(token_pattern=r"\w*").tokens("a b") == ["a", "b"]
    assert columns_of(["a b", "b"], stop_words=None, stemmer=None, token_pattern=r"\w*") == {"a": [1, 0], "b": [1, 1]}


def test_tokens_are_in_order_and_need_no_training():
    assert Terms(max_terms=1, min_documents=9).tokens("Dogs bark at dogs") == ["dog", "bark", "dog"]


@given(documents=st.lists(st.text(alphabet="abcAB é1_.\n", max_size=20), min_size=1, max_size=8), binary=st.booleans())
def test_without_stop_words_and_stems_the_matrix_is_that_of_scikit_learn(documents, binary):
    pattern = r"[^\W\d_]{2,}"
    peer = CountVectorizer(binary=binary, token_pattern=pattern)
    assume(any(map(peer.build_analyzer(), documents)))
    expected = peer.fit_transform(documents)
    terms = plain(counts=not binary)
    assert same(terms.fit_transform(documents), csr_matrix(expected))
    assert terms.vocabulary_ == peer.vocabulary_
    others = ["ab BA ab", "", *documents[::-1]]
    assert same(terms.transform(others), csr_matrix(peer.transform(others)))


# Which terms are kept


def literal_gain(documents, labels, term):
    """H(C) - P(t) H(C|t) - P(not t) H(C|not t), with entropies in bits."""

    def class_entropy(chosen):
        return entropy([chosen.count(label) for label in set(chosen)]) if chosen else 0.0

    having = [label for document, label in zip(documents, labels) if term in document]
    lacking = [label for document, label in zip(documents, labels) if term not in document]
    n = len(labels)
    return (
        class_entropy(list(labels))
        - len(having) / n * class_entropy(having)
        - len(lacking) / n * class_entropy(lacking)
    )


@given(documents=documents_of_terms, counts=st.booleans(), data=st.data())
def test_information_gain_is_that_of_the_definition(documents, counts, data):
    assume(any(documents))
    labels = data.draw(st.lists(st.sampled_from("xyz"), min_size=len(documents), max_size=len(documents)))
    terms = Terms(counts=counts).fit(documents, labels)
    expected = [literal_gain(documents, labels, term) for term in terms.vocabulary_]
    np.testing.assert_allclose(terms.information_gain_, expected, rtol=0, atol=1e-12)
    assert terms.document_count_.tolist() == [sum(term in d for d in documents) for term in terms.vocabulary_]


@given(documents=documents_of_terms, max_terms=st.integers(1, 5), min_documents=st.integers(1, 3), data=st.data())
def test_the_kept_terms_are_the_first_by_gain_then_documents_then_alphabet(documents, max_terms, min_documents, data):
    labels = data.draw(
        st.none() | st.lists(st.sampled_from("xyz"), min_size=len(documents), max_size=len(documents)), label="labels"
    )
    frequency = {term: sum(term in document for document in documents) for term in "abcde"}
    common = [term for term in "abcde" if frequency[term] >= min_documents]
    assume(common)
    gain = {term: 0.0 if labels is None else round(literal_gain(documents, labels, term), 9) for term in common}
    ranked = sorted(common, key=lambda term: (-gain[term], -frequency[term], term))
    terms = Terms(max_terms=max_terms, min_documents=min_documents, counts=True)
    matrix = terms.fit_transform(documents, labels)
    assert list(terms.vocabulary_) == sorted(ranked[:max_terms])
    expected = [[document.count(term) for term in terms.vocabulary_] for document in documents]
    assert matrix.toarray().tolist() == expected
    assert same(matrix, terms.transform(documents))
    terms.check_state()


def test_gains_that_differ_by_rounding_alone_are_equal():
    # Both terms are in as many documents of each of five classes of nine, but for the order of the classes.
    in_class = {"a": [7, 4, 6, 5, 7], "b": [7, 6, 5, 7, 4]}
    documents = [[term for term in "ab" if row < in_class[term][k]] for k in range(5) for row in range(9)]
    labels = np.repeat(np.arange(5), 9)
    assert Terms(max_terms=1).fit(documents, labels).vocabulary_ == {"a": 0}


def test_among_equal_gains_the_term_of_more_documents_is_kept():
    # What is wherever the other is not says as much.
    documents, labels = [["a"], ["b"], ["b"], ["b"]], [0, 0, 1, 1]
    assert Terms(max_terms=1).fit(documents, labels).vocabulary_ == {"b": 0}


def test_a_term_that_says_nothing_has_a_gain_of_zero_and_not_less():
    documents, labels = [["a"], [], [], []] * 3, np.repeat([0, 1, 2], 4)
    assert Terms().fit(documents, labels).information_gain_.tolist() == [0.0]


def test_a_selection_learnt_in_cross_validation_sees_no_test_document():
    # Every word says as much as the others, so each fold takes the first one of its training documents.
    documents, labels = ["plain", "ant", "plain", "bee", "plain", "cat"], [0, 1, 0, 1, 0, 1]
    folds = list(KFold(3).split(documents))

    def kept(documents):
        pipeline = make_pipeline(Terms(max_terms=2), BernoulliNB())
        fitted = cross_validate(pipeline, documents, labels, cv=folds, return_estimator=True)["estimator"]
        return [list(model[0].vocabulary_) for model in fitted]

    assert kept(documents) == [["bee", "plain"], ["ant", "plain"], ["ant", "plain"]]
    for fold, (_, test) in enumerate(folds):
        changed = list(documents)
        changed[test[1]] = "aardvark"
        expected = [["aardvark", "plain"]] * 3
        expected[fold] = kept(documents)[fold]
        assert kept(changed) == expected


# Documents of all kinds


@pytest.mark.parametrize(
    "collection",
    [
        tuple,
        iter,
        np.array,
        lambda texts: np.array(texts, dtype=object),
        pd.Series,
        pd.Index,
        lambda texts: pd.Series(texts, dtype="category", index=range(9, 4, -1)),
        lambda texts: pd.DataFrame({"text": texts}),
        pl.Series,
        lambda texts: pl.DataFrame({"text": texts}),
        pa.array,
        lambda texts: pa.chunked_array([texts[:2], texts[2:]]),
        lambda texts: pa.table({"text": texts}),
    ],
)
def test_texts_may_come_in_any_collection_or_a_frame_of_one_column(collection):
    expected = Terms().fit_transform(POSTS)
    assert same(Terms().fit_transform(collection(POSTS)), expected)
    assert same(Terms().fit(POSTS).transform(collection(POSTS)), expected)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_texts_in_a_row_of_a_frame_make_one_document(frame):
    columns = {"title": ["Cats", None, None], "body": ["purr", "bark", None]}
    terms = Terms()
    assert terms.fit_transform(frame(columns)).toarray().tolist() == [[0, 1, 1], [1, 0, 0], [0, 0, 0]]
    assert terms.feature_names_in_.tolist() == ["title", "body"]
    # The texts do not run into each other.
    assert terms.get_feature_names_out().tolist() == ["bark", "cat", "purr"]


def test_another_frame_than_that_of_training_is_refused():
    frame = pd.DataFrame({"title": ["cats"], "body": ["purr"]})
    terms = Terms().fit(frame)
    with pytest.raises(ValueError, match="answer"):
        terms.transform(frame.assign(answer="bark"))
    assert terms.transform(["cats"]).sum() == 1
    assert not hasattr(terms.fit(["cats"]), "feature_names_in_")


def test_a_column_of_a_frame_that_holds_no_text_is_named():
    with pytest.raises(ValueError, match="Column 'age' holds 7"):
        Terms().fit(pd.DataFrame({"text": ["cats"], "age": [7]}))
    with pytest.raises(ValueError, match="no columns"):
        Terms().fit(pd.DataFrame(index=[0, 1]))


@pytest.mark.parametrize(
    "collection", [list, tuple, pd.Series, lambda lists: pl.Series(lists, dtype=pl.List(pl.String))]
)
def test_lists_of_terms_are_taken_as_they_are(collection):
    terms = Terms(counts=True)
    matrix = terms.fit_transform(collection([["The", "Cats", "x"], ["Cats", "Cats"], []]))
    assert terms.get_feature_names_out().tolist() == ["Cats", "The", "x"]
    assert matrix.toarray().tolist() == [[1, 1, 1], [2, 0, 0], [0, 0, 0]]


def test_integers_among_the_terms_become_text():
    documents = [[3, 10], (3, np.int64(3)), np.array([10, 7]), ["7"]]
    assert columns_of(documents, counts=True) == {"10": [1, 0, 1, 0], "3": [1, 2, 0, 0], "7": [0, 0, 1, 1]}
    assert Terms().tokens([3, "Cats"]) == ["3", "Cats"]


def test_texts_and_lists_of_terms_share_their_columns():
    assert columns_of(["cats", ["cat", "the"]]) == {"cat": [1, 1], "the": [0, 1]}


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, "", [], "the 123"])
def test_a_missing_or_empty_document_is_a_row_of_zeros(missing):
    terms = Terms()
    assert terms.fit_transform([missing, *POSTS])[0].nnz == 0
    assert terms.n_documents_ == 6
    assert terms.transform([missing]).toarray().tolist() == [[0, 0, 0, 0]]
    assert terms.tokens(missing) == []


def test_documents_may_be_transformed_one_at_a_time_and_unseen_terms_are_ignored():
    terms = Terms(counts=True, max_terms=3).fit(POSTS)
    others = [*POSTS, "unheard of", ["unheard", "cat"], None]
    together = terms.transform(others).toarray().tolist()
    assert [terms.transform([document]).toarray()[0].tolist() for document in others] == together
    assert together[-3:] == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]


# Errors


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("one text", r"single text.*\[text\]"),
        (b"one text", "single text"),
        ([], r"0 sample\(s\) .*required by Terms"),
        (pd.Series([], dtype=object), r"0 sample\(s\)"),
        (pd.DataFrame({"text": []}), r"0 sample\(s\)"),
        (["cat", b"dog"], "Document 1 is bytes.*decode"),
        ([5], "Document 0 is 5, a int.*list"),
        (["cat", 2.5], "Document 1 is 2.5"),
        ([True], "Document 0 is True"),
        ([{"cat"}], "Document 0 is {'cat'}, a set"),
        ([["cat"], ["dog", None]], "Document 1 has None among its terms"),
        ([["cat", 1.5]], "Document 0 has 1.5"),
        ([["cat", True]], "Document 0 has True"),
        ([[["cat"]]], "Document 0 has"),
        ([np.array([["cat"]])], "Document 0 is"),
        (np.array([["cat"], ["dog"]]), "2 dimensions.*frame"),
        (csr_matrix([[1, 0]]), "2 dimensions"),
        ({"cat": 1}, "X is a dict"),
        (5, "X is a int"),
        (pl.LazyFrame({"text": ["cat"]}), "X is a LazyFrame"),
        (["the", "", None], "No document has any term.*stop_words"),
    ],
)
def test_what_is_no_collection_of_documents_is_refused_with_a_remedy(documents, message):
    with pytest.raises(ValueError, match=message):
        Terms().fit(documents)
    if "any term" not in message:
        with pytest.raises(ValueError, match=message):
            Terms().fit(POSTS).transform(documents)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"stemmer": "portr"}, "stemmer names 'portr'.* did you mean 'porter'"),
        ({"stemmer": "qqq"}, "there are .*porter"),
        ({"stemmer": 1}, "stemmer"),
        ({"stop_words": "englsh"}, "stop_words"),
        ({"stop_words": ["the", 1]}, "stop_words holds 1"),
        ({"token_pattern": "("}, "token_pattern='\\('.*not a regular expression"),
        ({"token_pattern": "(a)(b)"}, "2 groups"),
        ({"min_documents": 0}, "min_documents"),
        ({"min_documents": 4}, "min_documents=4 .*'cat', is in 3. Lower"),
        ({"max_terms": 0}, "max_terms"),
        ({"counts": "yes"}, "counts"),
        ({"mail": "headers"}, "mail"),
        ({"mail": ["header"]}, "mail names 'header'.*'headers'"),
    ],
)
def test_a_wrong_parameter_is_refused_and_leaves_nothing_fitted(parameters, message):
    terms = Terms(**parameters)
    with pytest.raises(ValueError, match=message):
        terms.fit(POSTS)
    assert vars(terms) == vars(Terms(**parameters))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (LABELS[:4], "X has 5 documents, but y has 4 labels"),
        ([*LABELS[:4], None], "some labels are missing"),
        ([0, 1, 0, 1, np.nan], "some labels are missing"),
        ([0.1, 0.2, 0.3, 0.4, 0.5], "continuous"),
    ],
)
def test_wrong_labels_are_refused_and_leave_the_terms_as_they_were(labels, message):
    terms = Terms().fit(["some other words"])
    before = dict(vars(terms))
    with pytest.raises(ValueError, match=message):
        terms.fit(POSTS, labels)
    assert vars(terms) == before


def test_nothing_is_transformed_before_training():
    with pytest.raises(NotFittedError):
        Terms().transform(POSTS)
    with pytest.raises(NotFittedError):
        Terms().get_feature_names_out()


# scikit-learn's contract, and model files


@pytest.mark.parametrize(
    "check",
    [
        # scikit-learn chooses one check only for an estimator that takes no arrays; these need no data.
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_valid_tag_types,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_do_not_raise_errors_in_init_or_set_params,
        estimator_checks.check_mixin_order,
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
    ],
)
def test_scikit_learns_checks_that_need_no_data_pass(check):
    check("Terms", Terms())


def test_training_changes_no_parameter_and_gives_the_estimator_back():
    terms = Terms(stop_words=["The"], mail=["quotes"], max_terms=2)
    before = dict(terms.get_params())
    assert terms.fit(POSTS, LABELS) is terms
    assert terms.get_params() == before


def through_skops(terms):
    payload = skops.io.dumps(terms)
    return skops.io.loads(payload, trusted=["unnaive.text.terms.Terms"])


def through_pickle(terms):
    return pickle.loads(pickle.dumps(terms))


@pytest.mark.parametrize("copy", [through_pickle, through_skops])
def test_terms_survive_a_file(copy):
    terms = Terms(max_terms=3, mail=("quotes",)).fit(POSTS, LABELS)
    again = copy(terms)
    again.check_state()
    assert same(again.transform(POSTS), terms.transform(POSTS))
    assert again.get_feature_names_out().tolist() == terms.get_feature_names_out().tolist()
    assert again.information_gain_.tolist() == terms.information_gain_.tolist()


def test_a_clone_is_not_fitted_and_learns_the_same():
    terms = Terms(max_terms=3, stop_words=["bark"]).fit(POSTS, LABELS)
    twin = clone(terms)
    assert not hasattr(twin, "vocabulary_")
    assert same(twin.fit_transform(POSTS, LABELS), terms.transform(POSTS))
    assert "bark" not in twin.vocabulary_


@pytest.mark.parametrize(
    "changes",
    [
        {"vocabulary_": {}},
        {"vocabulary_": {"bark": 0, "cat": 1, "dog": 2, "pur": 4}},
        {"vocabulary_": {"bark": 1, "cat": 0, "dog": 2, "pur": 3}},
        {"vocabulary_": {"bark": 0, "cat": 1, "dog": 2, "pur": 3.0}},
        {"vocabulary_": {"bark": 0, "cat": 1, "dog": 2, "pur": 3, "zebra": 4}},
        {"vocabulary_": ["bark", "cat", "dog", "pur"]},
        {"document_count_": np.array([2, 3, 2, 9])},
        {"document_count_": np.array([2, 3, 2, 0])},
        {"document_count_": np.array([2.0, 3.0, 2.0, 2.0])},
        {"document_count_": [2, 3, 2, 2]},
        {"information_gain_": np.zeros(3)},
        {"information_gain_": np.array([0, 0, 0, np.nan])},
        {"information_gain_": -np.ones(4)},
        {"n_documents_": 5.0},
        {"n_documents_": 2},
        {"feature_names_in_": np.array([1], dtype=object)},
        {"stemmer": "none such"},
        {"token_pattern": "("},
        {"counts": 3},
    ],
)
def test_terms_that_do_not_fit_together_are_found_out(changes):
    terms = Terms().fit(POSTS, LABELS)
    terms.check_state()
    vars(terms).update(changes)
    with pytest.raises(ValueError, match=r"fit together|stemmer|token_pattern|counts"):
        terms.check_state()


# Mail

MAIL = """From: ann@example.org (Ann)
Subject: Re: Tea at
\tthe palace
Organization: none: at all

In article <1@example.org>,
bob@example.org (Bob) writes:
> At four?
  | At half past?

At five, said Ann:
no later.
--
Ann
"""


def test_headers_are_left_out_but_for_the_subject():
    kept = without_headers(MAIL)
    assert kept.startswith("Re: Tea at\n\tthe palace\nIn article")
    assert kept.endswith("Ann\n")
    assert without_headers("FROM: ann\r\nSUBJECT: tea\r\n\r\nAt five.") == "tea\r\nAt five."
    assert without_headers("From: ann\n\nAt five.") == "At five."
    assert without_headers(" cut!off\nFrom: ann\n\nAt five.") == "At five."


@pytest.mark.parametrize(
    "text", ["", "At five.", "Note: at five.", "Note: five\nor six\n\nFrom: ann\n\nwords", "\nFrom: ann\n\nwords"]
)
def test_a_text_without_a_block_of_headers_is_untouched(text):
    assert without_headers(text) == text


def test_quotes_are_left_out_with_the_lines_that_introduce_them():
    assert without_quotes(MAIL.partition("\n\n")[2]) == "\nAt five, said Ann:\nno later.\n--\nAnn\n"
    assert without_quotes("> a\n | b\n: c\n\t} d\ne > f") == "e > f"
    assert without_quotes("Bob wrote in message <2@example.org>:\n\n> a\nb") == "\nb"


@pytest.mark.parametrize("text", ["", "Ann writes:\nno quote", "In article 5 it says so.", "Ann writes: so\n\nwords"])
def test_a_line_that_introduces_no_quote_stays(text):
    assert without_quotes(text) == text


@pytest.mark.parametrize("rule", ["--", "-- ", "  --  ", "-----------", "--\r"])
def test_a_short_signature_is_left_out(rule):
    assert without_signature(f"At five.\n{rule}\nAnn\nann@example.org\n\n\n") == "At five."
    assert without_signature(f"--\nmenu\n--\ntea\n{rule}\n" + "line\n" * 10) == "--\nmenu\n--\ntea"


@pytest.mark.parametrize("text", ["", "At five.", "a\n-\nb", "a\n-- b\nc", "a\n--\n" + "line\n" * 11])
def test_what_is_no_signature_stays(text):
    assert without_signature(text) == text


def test_the_named_parts_are_left_out_in_whatever_order_they_are_named():
    for parts in itertools.permutations(["headers", "quotes", "signatures"]):
        assert without_parts(MAIL, parts) == "Re: Tea at\n\tthe palace\n\nAt five, said Ann:\nno later."
    assert without_parts(MAIL, ()) == MAIL
    assert plain(mail=["headers", "quotes", "signatures"]).tokens(MAIL) == [
        *("re", "tea", "at", "the", "palace", "at", "five", "said", "ann", "no", "later")
    ]
    assert "organization" in plain(mail=["quotes"]).tokens(MAIL)


# Real posts


@pytest.fixture(scope="module")
def posts(data_folder):
    groups = {"rec.autos": [], "sci.space": []}
    with gzip.open(data_folder / "20newsgroups.jsonl.gz", "rt", encoding="utf-8") as lines:
        for post in map(json.loads, lines):
            if len(groups.get(post["label"], [0] * 150)) < 150:
                groups[post["label"]].append(post["text"])
    return [text for texts in groups.values() for text in texts], np.repeat(list(groups), 150)


def test_the_telling_terms_of_real_posts_are_those_of_their_subjects(posts):
    texts, labels = posts
    terms = Terms(max_terms=50, min_documents=3, mail=("headers", "quotes", "signatures"))
    matrix = terms.fit_transform(texts, labels)
    assert matrix.shape == (300, 50)
    assert {"car", "space", "orbit", "engin"} <= set(terms.vocabulary_)
    stems = [set(terms.tokens(text)) for text in texts]
    assert terms.document_count_.tolist() == [sum(term in own for own in stems) for term in terms.vocabulary_]
    expected = [literal_gain(stems, labels.tolist(), term) for term in terms.vocabulary_]
    np.testing.assert_allclose(terms.information_gain_, expected, rtol=0, atol=1e-12)
    assert same(matrix, terms.transform(pd.DataFrame({"text": texts})))


def test_counts_of_real_posts_are_those_of_scikit_learn(posts):
    texts, _ = posts
    peer = CountVectorizer(token_pattern=r"[^\W\d_]{2,}")
    assert same(plain(counts=True).fit_transform(texts), csr_matrix(peer.fit_transform(texts)))


def test_headers_of_real_posts_are_all_found(posts):
    texts, _ = posts
    for text in texts:
        assert without_headers(text) != text
        assert "From:" not in without_headers(text).partition("\n\n")[0].split("\n")[0]
