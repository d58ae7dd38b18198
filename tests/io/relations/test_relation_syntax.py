"""Values of ARFF and KEEL files; whole files are in test_arff.py and test_keel.py."""

from unnaive.io.relations.relation_syntax import Row, Value, split, split_name, split_row


def test_a_name_is_bare_or_quoted():
    assert split_name("'petal width' real") == ("petal width", "real")
    assert split_name("colour{red, blue}") == ("colour", "{red, blue}")


def test_values_are_split_at_commas_outside_quotes():
    assert [value.text for value in split(r"red, 'it\'s', ?  % three of them")[0]] == ["red", "it's", "?"]
    assert split("a, b} c", stop="}") == ([Value("a"), Value("b")], " c")


def test_a_sparse_row_has_places():
    assert split_row("{0 5, 3 'a b'}", 4) == Row([Value("5"), Value("a b", quoted=True)], places=[0, 3])
