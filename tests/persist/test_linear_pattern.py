"""Patterns from files find all words in linear time, or are refused."""

import re
import time

import pytest

from unnaive import Terms
from unnaive.persist.linear_pattern import is_linear

LINEAR = [
    Terms().token_pattern,
    r"(?u)\b\w\w+\b",  # that of scikit-learn
    r"\w+",
    r"(\w+)",
    r"(?i)[a-z']{3,}",
    r"[a-z]+[0-9]*",
    r"#?\w+",
    r"^\S+",
    r"\w{3,15}",
    r"cat|car|dogs?",
    r"\w+|\d\d:\d\d",
    "",
]
NOT_LINEAR = [
    r"(a+)+$",
    r"(?:ab)*c",
    r"(a|ab)+",
    r"a+b",  # searched again from every a
    r"\w+$",
    r"[a-z]+\b",
    r"\w*\b",
    r"\w+\d+",
    r"(a)\1",
    r"(?=a)a",
    r"(?<!a)b",
    r"(?:ab|c)(?:cd|e)",
    r"(?a:\w+)\b",
    r"a+?",
    r"a{0,300}b",
    r"a?" * 12 + "b",
    r"a{300,}",
    "x" * 201,
    "|".join("abcdefghijklmnopqrstuvwxyz"[place:] for place in range(25)),
    r"(",
    r"a{99999999999}",
]


@pytest.mark.parametrize("pattern", LINEAR)
def test_sequences_of_characters_and_repeats_are_linear(pattern):
    assert is_linear(pattern)


@pytest.mark.parametrize("pattern", NOT_LINEAR)
def test_whatever_could_be_searched_twice_is_not_linear(pattern):
    assert not is_linear(pattern)


@pytest.mark.parametrize("pattern", LINEAR)
@pytest.mark.parametrize("text", ["a", "1", "ca", "_", "a1", "dog "])
def test_long_texts_take_no_longer_per_letter(pattern, text):
    find, start = re.compile(pattern).findall, time.process_time()
    find(100_000 // len(text) * text + "!")
    assert time.process_time() - start < 5  # minutes, if it were quadratic
