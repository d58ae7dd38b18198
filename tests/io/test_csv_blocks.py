"""Blocks end where rows do, whatever stands in quotes."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from unnaive.io.csv_blocks import LongRowError, OpenQuoteError, blocks_of_rows, count_line_ends, may_have_codes


def ends_and_openness(data):
    """The definition: the places where a row ends, letter by letter, and whether a quote is open at the end."""
    ends, at_start, within, place = [], True, False, 0
    while place < len(data):
        letter = data[place : place + 1]
        if within:
            if data[place : place + 2] == b'""':
                place += 1
            elif letter == b'"':
                within = False
        elif letter == b'"' and at_start:
            within, at_start = True, False
        elif letter in (b"\n", b"\r"):
            place += data[place : place + 2] == b"\r\n"
            ends.append(place + 1)
            at_start = True
        else:
            at_start = letter == b","
        place += 1
    return ends, within


TEXTS = st.one_of(
    st.lists(st.sampled_from([b"a", b",", b'"', b'""', b"\n", b"\r", b"\r\n", b',"', b'",']), max_size=40).map(
        b"".join
    ),
    st.lists(st.sampled_from([b'"a\nb",c\n', b'"a""b",\r\n', b'5" pipe,"x"\n', b'1,"\r\n"\r', b"\n"]), max_size=8).map(
        b"".join
    ),
)


@examples(1000)
@given(TEXTS, st.integers(1, 50))
def test_blocks_end_where_the_definition_says(data, size):
    ends, is_open = ends_and_openness(data)
    blocks = blocks_of_rows(io.BytesIO(data), ",", size)
    if is_open:
        with pytest.raises(OpenQuoteError):
            list(blocks)
        return
    blocks = list(blocks)
    assert b"".join(blocks) == data
    assert all(blocks)
    place = 0
    for block in blocks[:-1]:
        place += len(block)
        assert place in ends


def test_a_block_is_not_longer_than_it_has_to_be():
    blocks = list(blocks_of_rows(io.BytesIO(b'1,"a\nb"\n' * 1000), ",", 64))
    assert max(map(len, blocks)) <= 64
    assert len(blocks) < 200


def test_a_quote_that_is_never_closed_does_not_fill_the_memory():
    stream = io.BytesIO(b'1,"' + b"x\n" * (1 << 20))
    with pytest.raises(OpenQuoteError):
        list(blocks_of_rows(stream, ",", 1 << 10, longest=1 << 16))
    assert stream.tell() < 1 << 18


@given(st.lists(st.lists(st.text("ab,\"'\n\r\t", max_size=4), min_size=2, max_size=3), max_size=20), st.integers(1, 30))
def test_blocks_hold_the_rows_that_were_written(rows, size):
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(rows)
    found = []
    for block in blocks_of_rows(io.BytesIO(text.getvalue().encode()), ",", size):
        found += csv.reader(io.StringIO(block.decode(), newline=""))
    assert found == rows


def test_a_row_in_quotes_is_not_cut():
    blocks = list(blocks_of_rows(io.BytesIO(b'1,2\n"3\n4",5\n6'), ",", size=6))
    assert blocks == [b"1,2\n", b'"3\n4",5\n', b"6"]


def test_a_long_row_is_refused_with_the_lines_above_it_wherever_blocks_end():
    data = b'1,"a\nb"\n\r\n' + b"x" * 50 + b"\n2,3\n"
    for size in range(1, 80):
        seen = []
        with pytest.raises(LongRowError) as caught:
            seen.extend(blocks_of_rows(io.BytesIO(data), ",", size, longest=50))
        assert count_line_ends(b"".join(seen)) + caught.value.n_lines == 3
        assert b"".join(blocks_of_rows(io.BytesIO(data), ",", size, longest=51)) == data


@examples(300)
@given(st.text('0019.,;-+ x"\n\te', max_size=8), st.sampled_from(",;"))
def test_a_field_that_begins_as_no_number_does_is_noticed(text, delimiter):
    field = rf'(?:^|[\n"{delimiter}])[ \t]*(?:[+-]?0[0-9x]|-0(?:[^.]|$))'
    assert may_have_codes(text.encode(), delimiter) or not re.search(field, text)


@pytest.mark.parametrize("text", ["0,1", "0.5,10,100", "1.07;-0.5", "x00,a0x,1e05", "a,b\n1,0\n"])
def test_numbers_and_text_are_not_taken_for_codes(text):
    assert not may_have_codes(text.encode(), ",")
