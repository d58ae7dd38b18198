"""Files that are not what they should be are refused in one sentence, and never in another way."""

import gzip
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from unnaive.io.formats import SUFFIXES, DataError, as_text, open_table, split_suffix

CSV = b"sky,warmth,class\nclear,21,beach\ngrey,14.5,museum\n"
ARFF = b"@relation r\n@attribute a {x, 'y z'}\n@attribute n numeric\n@attribute s string\n@data\nx,1,'it\\'s'\n{1 4}\n"
JSON = b'{"a": "x", "n": 1, "s": "it\'s"}\n{"a": null, "n": 2.5, "t": ["u", "v"], "b": true}\n'
READ = [suffix for suffix in SUFFIXES if suffix != ".xlsx"]  # without a further package
KEEL = b"@relation r\n@attribute a real [0, 1]\n@attribute b {x, y}\n@inputs a\n@outputs b\n@data\n0.5, x\n<null>, y\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


@pytest.fixture(scope="module")
def whole(folder):
    """The bytes of a good file of every format."""
    frame = pd.DataFrame({"a": ["x", None] * 20, "b": np.arange(40.0), "c": [1, 2] * 20, "d": [True, None] * 20})
    frame.astype({"a": "category"}).to_parquet(folder / "good.parquet")
    parquet = (folder / "good.parquet").read_bytes()
    frame.to_feather(folder / "good.feather")
    feather = (folder / "good.feather").read_bytes()
    texts = {".jsonl": JSON, ".ndjson": JSON, ".json": b"[" + JSON.replace(b"\n", b",", 1) + b"]"}
    binary = {".parquet": parquet, ".feather": feather, ".arrow": feather}
    return {".csv": CSV, ".tsv": CSV.replace(b",", b"\t"), **texts, **binary, ".arff": ARFF, ".dat": KEEL}


def refusal(path):
    """What is said of a file that cannot be read."""
    with pytest.raises(DataError) as caught:
        open_table(path).read()
    assert_one_line(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def assert_one_line(error):
    assert "\n" not in str(error)


@pytest.mark.parametrize("suffix", READ)
def test_a_gzipped_file_is_the_file(folder, whole, suffix):
    plain, zipped = folder / f"plain{suffix}", folder / f"zipped{suffix.upper()}.gz"
    plain.write_bytes(whole[suffix])
    zipped.write_bytes(gzip.compress(whole[suffix]))
    pd.testing.assert_frame_equal(open_table(zipped).read(), open_table(str(plain)).read())
    assert open_table(zipped).kinds == open_table(plain).kinds


@pytest.mark.parametrize("suffix", READ)
def test_a_truncated_or_damaged_gzipped_file_is_refused(folder, whole, suffix):
    path = folder / f"bad{suffix}.gz"
    packed = gzip.compress(whole[suffix])
    path.write_bytes(packed[:-9])
    assert "ends too early" in refusal(path)
    path.write_bytes(packed[:-8] + b"12345678")
    assert "is damaged" in refusal(path)
    path.write_bytes(whole[suffix])
    assert "not a gzipped file; remove .gz from" in refusal(path)


@pytest.mark.parametrize("name", ["a.xls", "a", "a.gz", "a.txt", "a.data"])
def test_an_unknown_suffix_is_refused_with_those_that_are_known(folder, name):
    (folder / name).write_bytes(CSV)
    assert ".xlsx, .arff or .dat, packed or not (.gz, .bz2, .zst, .zip)" in refusal(folder / name)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_no_file_or_an_empty_one_is_refused(folder, suffix):
    assert "There is no file" in refusal(folder / f"nowhere{suffix}")
    (folder / f"folder{suffix}").mkdir()
    assert "this is a folder" in refusal(folder / f"folder{suffix}")
    (folder / f"empty{suffix}").write_bytes(b"")
    assert "the file is empty" in refusal(folder / f"empty{suffix}")


# Any text may be a table of one column, and KEEL's files are ARFF with more in the header.
ALIKE = [{".csv", ".tsv"}, {".arff", ".dat"}, {".jsonl", ".ndjson"}, {".feather", ".arrow"}]
ALIKE += [{".json", ".jsonl"}, {".json", ".ndjson"}]


@pytest.mark.parametrize(
    ("suffix", "other"),
    [(one, other) for one in READ for other in READ if one != other and {one, other} not in ALIKE],
)
def test_a_file_under_the_name_of_another_format_is_refused(folder, whole, suffix, other):
    path = folder / f"other{suffix}"
    path.write_bytes(whole[other])
    assert any(words in refusal(path) for words in ("this is not", "contrary to its name, this is "))


def test_keel_is_not_arff(folder):
    (folder / "keel.arff").write_bytes(KEEL)
    assert "line 4: @inputs means nothing in ARFF" in refusal(folder / "keel.arff")


def test_a_gzipped_or_excel_file_without_the_suffix_is_named(folder):
    path = folder / "named.csv"
    path.write_bytes(gzip.compress(CSV))
    assert "a gzipped file, whose name should end in .gz" in refusal(path)
    path.write_bytes(b"PK\x03\x04 and so on")
    assert "a zip or Excel file" in refusal(path)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".arff", ".dat"])
def test_bytes_that_are_not_utf8_are_named_with_line_and_place(folder, whole, suffix):
    path = folder / f"latin{suffix}"
    path.write_bytes(whole[suffix] + b"caf\xe9\n")
    place, line = len(whole[suffix]) + 4, whole[suffix].count(b"\n") + 1
    assert (
        f"line {line}: byte {place} (0xe9) is not UTF-8; name the file's encoding, as in --encoding latin1"
        in refusal(path)
    )


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".arff", ".dat"])
def test_a_byte_order_mark_is_not_part_of_the_table(folder, whole, suffix):
    path = folder / f"mark{suffix}"
    path.write_bytes(b"\xef\xbb\xbf" + whole[suffix])
    marked = open_table(path).read()
    path.write_bytes(whole[suffix])
    pd.testing.assert_frame_equal(marked, open_table(path).read())


def test_columns_that_do_not_exist_are_refused_with_those_that_are_near(folder):
    path = folder / "trips.csv"
    path.write_bytes(CSV)
    table = open_table(path)
    with pytest.raises(DataError, match=r"there is no column 'Warmt'\. Did you mean 'warmth'"):
        table.batches(["sky", "Warmt"])
    with pytest.raises(DataError, match="at least one column"):
        table.batches([])
    with pytest.raises(ValueError, match="at least 1, not 0"):
        table.batches(rows=0)


def test_the_name_is_split_from_the_suffix(folder):
    assert split_suffix(folder / "a.b.ARFF") == ("a.b", ".arff", "")


def check_that_it_reads_or_is_refused(path, rows):
    """Any file either reads the same in both ways, or is refused in one sentence."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about weights
            table = open_table(path)
            frame = table.read()
    except DataError as error:
        assert_one_line(error)
        return
    pd.testing.assert_frame_equal(pd.concat(list(table.batches(rows=rows))), frame)
    assert list(frame.columns) == table.columns == list(table.kinds)
    assert len(frame) == table.n_rows


@examples(300)
@given(st.binary(max_size=300), st.sampled_from(SUFFIXES), st.booleans(), st.booleans())
def test_random_bytes_are_refused_in_one_sentence(folder, data, suffix, zipped, magic):
    data = b"PAR1" + data if magic and suffix == ".parquet" else data
    path = folder / f"random{suffix}{'.gz' if zipped else ''}"
    path.write_bytes(gzip.compress(data, 1) if zipped else data)
    check_that_it_reads_or_is_refused(path, 3)


FRAGMENTS = st.sampled_from(
    [bytes([byte]) for byte in b",\t\n\r'\"{}%?@\\ 0x\x00\xff"]
    + [
        b"",
        b"null",
        b"[",
        b"]",
        b":",
        b"\\ud83d",
        b"NaN",
        b"@data\n",
        b"@attribute ",
        b"\\u1",
        b"-1",
        b"1e999",
        b"nan",
        b"inf",
        b"\xef\xbb\xbf",
        b"99999999999",
    ]
)
EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 3), FRAGMENTS | st.binary(max_size=2)), min_size=1, max_size=4
)


@examples(500)
@example([(0.625, 1, b"")], ".feather", 1.0)  # a buffer of 2**58 bytes
@given(EDITS, st.sampled_from(READ), st.floats(0.3, 1.5))
def test_edited_files_are_read_or_refused_in_one_sentence(folder, whole, edits, suffix, kept):
    data = whole[suffix]
    for place, n_taken, put in edits:
        at = int(place * len(data))
        data = data[:at] + put + data[at + n_taken :]
    path = folder / f"edited{suffix}"
    path.write_bytes(data[: int(kept * len(data))])
    check_that_it_reads_or_is_refused(path, 2)


def test_the_suffix_is_lowercase_and_the_name_is_without_the_folder():
    assert split_suffix(Path("data/vote.CSV.gz")) == ("vote", ".csv", ".gz")


def test_public_names_are_found_in_the_package():
    import unnaive.io

    assert dir(unnaive.io) == sorted(unnaive.io.__all__)
    assert unnaive.io.open_table is open_table
    assert unnaive.io.DataError is DataError
    for name in unnaive.io.__all__:
        assert getattr(unnaive.io, name).__name__ == name


@pytest.mark.parametrize("name", ["t.csv", "t.arff", "t.jsonl", "t.dat"])
def test_columns_are_chosen_without_searching_all_of_them(tmp_path, name):
    class Unsearchable(list):
        def __contains__(self, _):
            raise AssertionError

    content = {"t.csv": CSV, "t.arff": ARFF, "t.jsonl": JSON, "t.dat": KEEL}[name]
    (tmp_path / name).write_bytes(content)
    table = open_table(tmp_path / name)
    chosen = table.columns[::-1]
    table.columns = Unsearchable(table.columns)
    assert list(next(table.batches(chosen))) == chosen


def test_the_kinds_of_columns_are_looked_up_once_to_read_codes_as_text(tmp_path, monkeypatch):
    (tmp_path / "t.jsonl").write_bytes(JSON)
    table, calls = open_table(tmp_path / "t.jsonl"), []
    kinds = table.kinds
    monkeypatch.setattr(type(table), "kinds", property(lambda _: calls.append(1) or kinds))
    written = as_text(table, table.columns).read()
    assert written["n"].tolist() == ["1", "2.5"]
    assert list(written) == table.columns
    assert len(calls) == 1
