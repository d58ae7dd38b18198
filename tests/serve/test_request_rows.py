import json

import pandas as pd
import pytest

from unnaive.io.source import DataError
from unnaive.persist import SavedModel
from unnaive.serve.refusal import Refusal
from unnaive.serve.request_rows import CSV, JSON, read_rows
from unnaive.serve.settings import Settings

SETTINGS = Settings(max_rows=3)


def saved(**reading):
    return SavedModel(None, "class", {"notes": {"reading": reading}})


def test_csv_is_read_as_the_file_that_the_model_was_fitted_on():
    body = b"x;y\n1,5;-9\n"
    table = read_rows(saved(sep=";", decimal=",", missing=["-9"]), CSV, body, SETTINGS)
    assert table.kinds == {"x": "number", "y": "number"}
    assert table.read().to_dict("list")["x"] == [1.5]
    assert table.read()["y"].isna().all()


def test_columns_that_were_left_out_need_not_be_sent():
    table = read_rows(saved(drop=["name"]), JSON, b'{"x": 1}', SETTINGS)
    assert table.columns == ["x"]


@pytest.mark.parametrize("media", ["application/json", "Application/JSON; charset=utf-8", " application/json "])
def test_json_is_recognised_however_it_is_written(media):
    assert read_rows(saved(encoding="latin1"), media, '[{"x": "é"}]'.encode(), SETTINGS).read()["x"].tolist() == ["é"]


def test_absent_keys_and_nulls_are_missing():
    frame = read_rows(saved(), JSON, json.dumps([{"a": 1, "b": "x"}, {"a": None}]).encode(), SETTINGS).read()
    pd.testing.assert_frame_equal(frame.isna(), pd.DataFrame({"a": [False, True], "b": [False, True]}))


@pytest.mark.parametrize(("media", "body"), [(JSON, b'[{"x":1},{"x":1},{"x":1},{"x":1}]'), (CSV, b"x\n1\n1\n1\n1\n")])
def test_too_many_rows_are_refused(media, body):
    with pytest.raises(Refusal, match="more than 3 rows") as refused:
        read_rows(saved(), media, body, SETTINGS)
    assert refused.value.status == 413


def test_errors_call_the_body_the_request():
    with pytest.raises(DataError, match=r"^The request, line 3: this row has 3 fields"):
        read_rows(saved(), CSV, b"x,y\n1,2\n1,2,3\n", SETTINGS).n_rows  # noqa: B018
