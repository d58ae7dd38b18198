"""Files of the kinds that people have are read right, or refused in one sentence that names the cure."""

import pytest

from tests.io.made_files import FILES
from unnaive.io import DataError, Reading, open_table


def test_there_are_many_files_and_each_has_a_name_of_its_own():
    assert len({made.name for made in FILES}) == len(FILES) >= 60


@pytest.mark.parametrize("made", FILES, ids=lambda made: made.name)
def test_a_file_is_read_right_or_refused(made, tmp_path):
    path = tmp_path / made.name
    path.write_bytes(made.content)
    if isinstance(made.kinds, str):
        with pytest.raises(DataError) as caught:
            open_table(path, reading=Reading(**made.options)).read()
        assert made.kinds in str(caught.value)
        assert "\n" not in str(caught.value)
        assert made.name in str(caught.value)
        return
    table = open_table(path, reading=Reading(**made.options))
    frame = table.read()
    assert table.kinds == made.kinds
    types = {"integer": "int64", "number": "float64", "date": "float64"}
    for name, kind in table.kinds.items():
        assert kind == "text" or frame[name].dtype == types[kind]
        assert kind != "text" or {type(value) for value in frame[name].dropna()} <= {str}
    for name, values in made.values.items():
        assert [None if value != value else value for value in frame[name].tolist()] == values
    assert any(made.remark in remark for remark in table.remarks) if made.remark else table.remarks == []
