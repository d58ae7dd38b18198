from unnaive.text.documents import read_documents


def test_documents_are_texts_lists_of_terms_or_missing():
    assert read_documents(["a text", ["terms", 7], None]) == ["a text", ["terms", "7"], []]
