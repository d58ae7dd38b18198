"""Archives of results hold the files as they are, and the same files give the same bytes."""

import tarfile

from unnaive.papers.fold_archive import pack


def test_files_are_packed_in_the_order_of_their_names_without_dates_and_owners(tmp_path):
    contents = {"honb-5.jsonl": b"{}\n" * 9, "honb-10.jsonl": b"[]\n"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    packed = []
    for order in (1, -1):
        pack([tmp_path / name for name in [*contents][::order]], tmp_path / "honb-folds.tar.xz")
        packed.append((tmp_path / "honb-folds.tar.xz").read_bytes())
    assert packed[0] == packed[1]
    with tarfile.open(tmp_path / "honb-folds.tar.xz") as archive:
        assert {entry.name: archive.extractfile(entry).read() for entry in archive} == contents
        assert [(entry.name, entry.mtime, entry.uid) for entry in archive] == [
            ("honb-10.jsonl", 0, 0),
            ("honb-5.jsonl", 0, 0),
        ]
