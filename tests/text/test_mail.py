from unnaive.text.mail import without_headers, without_parts, without_quotes, without_signature


def test_the_subject_is_kept():
    assert without_headers("From: ann@example.org\nSubject: Tea\n\nAt four?") == "Tea\nAt four?"


def test_quotes_and_their_attribution_are_removed():
    assert without_quotes("Bob writes:\n> At four?\nAt five.") == "At five."


def test_a_short_signature_is_removed():
    assert without_signature("At five.\n-- \nBob\nbob@example.org") == "At five."


def test_parts_are_removed_in_any_order():
    text = "Subject: Tea\n\nBob writes:\n> At four?\nAt five.\n--\nAnn"
    assert without_parts(text, ["signatures", "quotes"]) == "Subject: Tea\n\nAt five."
