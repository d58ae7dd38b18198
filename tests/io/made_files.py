"""Sixty files of the kinds that people have, each with how it is to be read, or the words that refuse it.

``python -m tests.io.made_files FOLDER`` writes them.
"""

import bz2
import gzip
import io
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet


@dataclass(frozen=True)
class Made:
    """A file, its kinds by column or words of its refusal, some of its values, words of a remark, and options."""

    name: str
    content: bytes
    kinds: dict[str, str] | str
    values: dict[str, list] = field(default_factory=dict)
    remark: str = ""
    options: dict = field(default_factory=dict)


PLAIN = "age,city,class\n31,Oslo,yes\n42,Rome,no\n"
READ = {"age": "integer", "city": "text", "class": "text"}
AGES = {"age": [31, 42], "city": ["Oslo", "Rome"]}


def column(*values, header="x,class"):
    """A file with one column of these values, and classes."""
    return "\n".join([header, *(f"{value},{'ab'[row % 2]}" for row, value in enumerate(values)), ""]).encode()


def kinds(kind):
    return {"x": kind, "class": "text"}


def numbers_but(odd, n_rows=50):
    return column(*(odd if row == 20 else row for row in range(n_rows)))


def zipped(**members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return packed.getvalue()


def written(table, how):
    out = pa.BufferOutputStream()
    how(table, out)
    return out.getvalue().to_pybytes()


def zstd(content):
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as stream:
        stream.write(content)
    return out.getvalue().to_pybytes()


TIMES = pa.table({"x": pd.to_datetime(["2020-01-01", "2020-01-02"]), "class": ["a", "b"]})
NESTED = pa.table({"x": [[1, 2], [3]], "class": ["a", "b"]})
SEMICOLONS = PLAIN.replace(",", ";").encode()
DAYS = [18262.0, 18263.0]

FILES = [
    # Separators
    Made("comma.csv", PLAIN.encode(), READ, AGES),
    Made("semicolon.csv", SEMICOLONS, READ, AGES, "fields are separated by semicolons"),
    Made("tab.csv", PLAIN.replace(",", "\t").encode(), READ, AGES, "fields are separated by tabs"),
    Made("bar.csv", PLAIN.replace(",", "|").encode(), READ, AGES, "fields are separated by vertical bars"),
    Made("comma.tsv", PLAIN.encode(), READ, AGES, "fields are separated by commas"),
    Made("tab.tsv", PLAIN.replace(",", "\t").encode(), READ, AGES),
    Made("caret.csv", PLAIN.replace(",", "^").encode(), READ, AGES, options={"sep": "^"}),
    Made(
        "quoted.csv", b'"age","city","class"\n31,"Oslo, N",yes\n42,"Ro""me",no\n', READ, {"city": ["Oslo, N", 'Ro"me']}
    ),
    Made("lines in quotes.csv", b'x,class\n"a\nb",y\nc,n\n', kinds("text"), {"x": ["a\nb", "c"]}),
    Made("windows.csv", PLAIN.replace("\n", "\r\n").encode(), READ, AGES),
    Made("old mac.csv", PLAIN.replace("\n", "\r").encode(), READ, AGES),
    Made("blank lines.csv", PLAIN.replace("\n", "\n\n").encode(), READ, AGES),
    Made("short row.csv", PLAIN.encode() + b"50,Bonn\n", "line 4: this row has 2 fields, but the header has 3"),
    Made("long row.csv", PLAIN.encode() + b"50,Bonn,no,1\n", "name another separator with --sep"),
    Made("open quote.csv", b'x,class\n"a,b\n', "line 2: a quote is opened in this row and never closed"),
    # Decimal marks
    Made("decimal.csv", b"x;class\n1,5;a\n2;b\n", kinds("number"), {"x": [1.5, 2.0]}, "decimal commas"),
    Made(
        "decimal in quotes.csv",
        b'x,class\n"1,5",a\n"2,5",b\n',
        kinds("number"),
        {"x": [1.5, 2.5]},
        "",
        {"decimal": ","},
    ),
    Made("thousands.csv", b'x,class\n"1,500",a\n"2,500",b\n', kinds("text"), {}, "numbers with commas"),
    Made("thousands.tsv", b"x\tclass\n1,500\ta\n2,500\tb\n", kinds("text"), {}, "say with --decimal ,"),
    Made(
        "both marks.csv",
        b"x;y;class\n1,5;1.5;a\n2,5;2.5;b\n",
        {"x": "text", "y": "number", "class": "text"},
        {},
        "numbers with commas",
    ),
    # Encodings
    Made("mark.csv", b"\xef\xbb\xbf" + PLAIN.encode(), READ, AGES),
    Made("utf16.csv", PLAIN.encode("utf-16"), READ, AGES),
    Made(
        "latin.csv",
        "x,class\ncafé,a\nthé,b\n".encode("latin1"),
        "is not UTF-8; name the file's encoding, as in --encoding",
    ),
    Made(
        "latin named.csv",
        "x,class\ncafé,a\nthé,b\n".encode("latin1"),
        kinds("text"),
        {"x": ["café", "thé"]},
        "",
        {"encoding": "latin1"},
    ),
    # Markers
    *(
        Made(f"marker {number}.csv", numbers_but(marker), kinds("number"), {})
        for number, marker in enumerate(["N/A", "n/a", "#N/A", "null", "None", "-", "NaN", "."])
    ),
    Made("infinite.csv", numbers_but("inf"), kinds("number"), {}, "'inf' in column 'x' is infinite"),
    Made("minus nine.csv", column(1, -9, 2), kinds("number"), {"x": [1.0, None, 2.0]}, "", {"missing": ["-9"]}),
    Made(
        "nearly numbers.csv",
        numbers_but("12 cm"),
        kinds("text"),
        {},
        "line 22: column 'x' holds numbers but for '12 cm'",
    ),
    Made("nearly dates.csv", column(*["2020-01-01"] * 30, "soon"), kinds("text"), {}, "holds dates but for 'soon'"),
    Made("text with markers.csv", column("None", "brick", "-"), kinds("text"), {"x": ["None", "brick", "-"]}),
    # Headers
    Made(
        "no header.csv",
        b"5.1,3.5,a\n4.9,3.0,b\n",
        {"5.1": "number", "3.5": "number", "a": "text"},
        {},
        "add --no-header",
    ),
    Made(
        "no header said.csv",
        b"5.1,a\n4.9,b\n",
        {"x1": "number", "x2": "text"},
        {"x1": [5.1, 4.9]},
        "",
        {"header": False},
    ),
    Made(
        "names below.csv",
        column("red", "blue", header="red,class"),
        {"red": "text", "class": "text"},
        {},
        "also stands below",
    ),
    Made("equal names.csv", b"x,x,class\n1,2,a\n", "several columns named 'x'; rename all but one"),
    Made("equal numbers.csv", b"1,1,a\n2,3,b\n", "the first row has numbers, not names; add --no-header"),
    Made("row numbers.csv", b",x,class\n0,1,a\n1,2,b\n", "column 1 has no name; name it, or write the file without"),
    Made("dropped.csv", PLAIN.encode(), {"city": "text", "class": "text"}, {}, "", {"drop": ["age"]}),
    # Dates and codes
    Made("dates.csv", column("2020-01-01", "2020-01-02"), kinds("date"), {"x": DAYS}),
    Made("times.csv", column("2020-01-01 12:00", "2020-01-02T06:00:00"), kinds("date"), {"x": [18262.5, 18263.25]}),
    Made("other dates.csv", column("31.12.2020", "1.2.2021"), kinds("text"), {}, "write them as 2020-12-31"),
    Made("dates.parquet", written(TIMES, pa.parquet.write_table), kinds("date"), {"x": DAYS}),
    Made("dates.feather", written(TIMES, pyarrow.feather.write_feather), kinds("date"), {"x": DAYS}),
    Made("postcodes.csv", column("01067", "80331"), kinds("text"), {"x": ["01067", "80331"]}),
    Made("huge.csv", column(2**53, 2**53 + 1), kinds("integer"), {"x": [2**53, 2**53 + 1]}),
    Made(
        "huge gaps.csv",
        column(2**53, 2**53 + 1, ""),
        kinds("text"),
        {"x": [str(2**53), str(2**53 + 1), None]},
        "too long",
    ),
    Made(
        "longer.csv",
        column(10**20, 10**20 + 1),
        kinds("text"),
        {"x": [str(10**20), str(10**20 + 1)]},
        "without rounding",
    ),
    Made(
        "beyond floats.csv",
        numbers_but("1e999"),
        kinds("text"),
        {},
        "line 22: column 'x' holds numbers but for '1e999'",
    ),
    # Other formats and packings
    Made("list.json", b'[{"x": 1, "class": "a"}, {"x": 2.5, "class": "b"}]', kinds("number"), {"x": [1.0, 2.5]}),
    Made("columns.json", b'{"x": [1, 2], "class": ["a", "b"]}', "this is an object, but a table is a list of objects"),
    Made("lines.jsonl", b'{"x": 1, "class": "a"}\n{"class": "b"}\n', kinds("number"), {"x": [1.0, None]}),
    Made("nested.jsonl", b'{"x": {"y": 1}, "class": "a"}\n', "column 'x' holds an object here; drop the column"),
    Made(
        "nested.parquet", written(NESTED, pa.parquet.write_table), "which is neither a number nor a category; drop it"
    ),
    Made("packed.csv.gz", gzip.compress(PLAIN.encode()), READ, AGES),
    Made("packed.csv.bz2", bz2.compress(PLAIN.encode()), READ, AGES),
    Made("packed.csv.zst", zstd(PLAIN.encode()), READ, AGES),
    Made("packed.csv.zip", zipped(table_csv=PLAIN), READ, AGES),
    Made("packed.zip", zipped(table_csv=SEMICOLONS), READ, AGES, "semicolons"),
    Made(
        "two.zip", zipped(one_csv=PLAIN, two_csv=PLAIN), "there are 2 files in it, but a table is one file: unpack it"
    ),
    Made("not packed.csv.bz2", PLAIN.encode(), "remove .bz2 from its name"),
    # Empty and misnamed
    Made("empty.csv", b"", "the file is empty"),
    Made("only header.csv", b"x,class\n", "there is a header, but there are no rows below it"),
    Made("excel.csv", zipped(xl_xml="x"), "this is a zip or Excel file, whose name should end in .zip or .xlsx"),
    Made("parquet.csv", written(TIMES, pa.parquet.write_table), "contrary to its name, this is a Parquet file"),
    Made("json.csv", b'[{"x": 1}]', "contrary to its name, this is a JSON file (.json)"),
    Made("arff.csv", b"@relation r\n@attribute x numeric\n@data\n1\n", "this is an ARFF or KEEL file"),
    Made("table.txt", PLAIN.encode(), "tables are read from files that end in .csv, .tsv"),
    Made("old.xls", b"\xd0\xcf\x11\xe0", "tables are read from files that end in .csv, .tsv"),
]


if __name__ == "__main__":
    for made in FILES:
        Path(sys.argv[1], made.name).write_bytes(made.content)
