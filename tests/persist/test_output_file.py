"""Files are written whole or not at all, keep what they were, and processes that change one wait for each other."""

import errno
import os
import signal
import stat
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from unnaive.persist import file_lock, output_file
from unnaive.persist.output_file import OutputError, beside, changing, check_output, new_folder, replacing, write_text

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX only")


def start(code, path, stdout=subprocess.PIPE):
    """A process that runs a few lines on a file."""
    lines = f"import sys, time\nfrom unnaive.persist.output_file import *\nfile = sys.argv[1]\n{code}"
    return subprocess.Popen([sys.executable, "-c", lines, path], stdout=stdout, text=True)


def never():
    raise AssertionError("nobody else changes this file")


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def fill(path, text=b"new"):
    with replacing(path) as out:
        out.write(text)


def fill_and_raise(path, error):
    with replacing(path) as out:
        out.write(b"new")
        raise error


def failing(number):
    def fail(*_, **__):
        raise OSError(number, os.strerror(number))

    return fail


# Whole or not at all


def test_the_old_file_is_there_until_the_new_one_is_complete(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    with replacing(path) as out:
        out.write(b"new")
        out.flush()
        assert path.read_text() == "old"
        assert len(os.listdir(tmp_path)) == 2
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["a.csv"]


def test_an_error_on_the_way_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    for error in (ValueError("other"), KeyboardInterrupt(), FileNotFoundError(2, "No such file", "data.csv")):
        with pytest.raises(type(error)) as caught:
            fill_and_raise(path, error)
        assert caught.value is error
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.csv"]


def test_text_that_is_not_unicode_is_written_with_question_marks(tmp_path):
    write_text(tmp_path / "a.html", "é\udc80")
    assert (tmp_path / "a.html").read_bytes() == "é?".encode()


@posix
def test_file_and_folder_are_on_the_disk_before_the_end(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(stat.S_IFMT(os.fstat(file).st_mode)))
    fill(tmp_path / "a.csv")
    assert synced == [stat.S_IFREG, stat.S_IFDIR]


@posix
@pytest.mark.parametrize("number", [errno.EINVAL, errno.EIO])
def test_a_folder_that_cannot_be_synced_is_no_error_and_a_broken_disk_is_one(number, tmp_path, monkeypatch):
    sync = os.fsync
    fails = failing(number)
    monkeypatch.setattr(os, "fsync", lambda file: (fails if stat.S_ISDIR(os.fstat(file).st_mode) else sync)(file))
    if number == errno.EIO:
        with pytest.raises(OutputError, match="cannot be written: Input/output error"):
            fill(tmp_path / "a.csv")
    else:
        fill(tmp_path / "a.csv")


@posix
@pytest.mark.parametrize("size", [2**16 + 1, 10**6])
def test_a_full_disk_names_the_file_and_leaves_nothing(size, tmp_path):
    resource = pytest.importorskip("resource")
    path = tmp_path / "a.csv"
    path.write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, before[1]))
    try:
        with pytest.raises(OutputError, match=r"a\.csv' cannot be written: File too large\.$"):
            fill(path, b"x" * size)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("where", ["os.fsync", "os.replace", "os.open"])
def test_an_error_of_the_disk_names_the_file(where, tmp_path, monkeypatch):
    monkeypatch.setattr(where, failing(errno.ENOSPC))
    with pytest.raises(OutputError, match=r"a\.csv' cannot be written: No space left on device\.$"):
        fill(tmp_path / "a.csv")
    assert os.listdir(tmp_path) == []


def test_a_name_as_long_as_names_can_be_is_written(tmp_path):
    path = tmp_path / f"{'é' * 125}.csv"
    with changing(path, never):
        fill(path)
    assert path.read_bytes() == b"new"


# What may be written


@posix
def test_mode_and_owner_stay_and_a_new_file_has_those_of_any_other(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    (tmp_path / "other").touch()
    fill(path)
    assert mode_of(path) == mode_of(tmp_path / "other")
    owners = []
    monkeypatch.setattr(os, "fchown", lambda _, user, group: owners.append((user, group)))
    for mode in (0o600, 0o640, 0o664, 0o777):
        path.chmod(mode)
        fill(path)
        assert mode_of(path) == mode
    assert set(owners) == {(os.getuid(), -1), (-1, os.stat(path).st_gid)}


@posix
def test_nobody_may_read_a_draft_who_may_not_read_the_file(tmp_path):
    path = tmp_path / "a.csv"
    path.touch(0o600)
    with replacing(path):
        assert {mode_of(file) for file in tmp_path.iterdir()} == {0o600}


@posix
def test_another_group_than_before_may_do_what_everybody_may(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.touch()
    monkeypatch.setattr(os, "fchown", failing(errno.EPERM))
    for mode, then in ((0o660, 0o600), (0o664, 0o644), (0o640, 0o600)):
        path.chmod(mode)
        fill(path)
        assert mode_of(path) == then


@posix
def test_a_link_stays_and_what_it_names_is_written(tmp_path):
    (tmp_path / "far").mkdir()
    for target in ("old", "new"):
        link = tmp_path / f"link-{target}"
        link.symlink_to(Path("far", target))
    (tmp_path / "far" / "old").touch()
    for target in ("old", "new"):
        fill(tmp_path / f"link-{target}")
        assert (tmp_path / f"link-{target}").is_symlink()
        assert (tmp_path / "far" / target).read_bytes() == b"new"
    assert sorted(os.listdir(tmp_path / "far")) == ["new", "old"]


@posix
def test_pipes_devices_and_folders_are_refused_and_stay(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path / "link", Path(os.devnull)):
        for refuse in (check_output, fill, lambda path: changing(path, never).__enter__()):
            with pytest.raises(OutputError, match="is a pipe or a device: name a file to write to"):
                refuse(path)
    with pytest.raises(OutputError, match="is a folder: name a file in it"):
        fill(tmp_path)
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


@posix
def test_the_standard_output_is_refused_whatever_it_is(tmp_path):
    code = "try:\n    check_output(file)\nexcept OutputError as error:\n    print(error, flush=True)"
    assert "is a pipe or a device" in start(code, "/dev/stdout").communicate()[0]
    with open(tmp_path / "log", "w") as log:
        for path in ("/dev/stdout", tmp_path / "log"):
            start(code, path, log).wait()
    assert (tmp_path / "log").read_text().count("is where this process prints to: name another file.") == 2


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may write everything")
def test_a_write_protected_file_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.touch(0o444)
    with pytest.raises(OutputError, match="is write-protected"):
        fill(path)


def test_a_folder_that_does_not_exist_is_an_error_of_the_file(tmp_path):
    (tmp_path / "file").touch()
    for path, words in ((tmp_path / "no" / "a", "No such file"), (tmp_path / "file" / "a", "Not a directory")):
        for write in (fill, lambda path: changing(path, never).__enter__()):
            with pytest.raises(OutputError, match=f"{path.parent.name}.a' cannot be written: {words}"):
                write(path)


# Several processes


def test_two_writers_of_one_file_do_not_mix(tmp_path):
    path = tmp_path / "a.csv"
    with ExitStack() as first, replacing(path) as second:
        one = first.enter_context(replacing(path))
        for _ in range(3):
            one.write(b"1" * 10**5)
            second.write(b"2" * 10**5)
        first.close()
        assert path.read_bytes() == b"1" * 300_000
    assert path.read_bytes() == b"2" * 300_000
    assert os.listdir(tmp_path) == ["a.csv"]


@posix
def test_what_a_killed_process_left_is_removed_by_the_next_write_and_what_is_being_written_stays(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    os.mkfifo(beside(path, "-0.part"))
    code = "with changing(file, print), replacing(file) as out:\n    out.write(b'x')\n    out.flush()\n"
    code += "    print('writing', flush=True)\n    time.sleep(60)"
    processes = [start(code, tmp_path / name) for name in ("a.csv", "b.csv")]
    assert [process.stdout.readline() for process in processes] == ["writing\n"] * 2
    with replacing(path):  # while it is written by another
        assert len([*tmp_path.glob(beside(path, "-*").name)]) == 3
    for process in processes:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert path.read_bytes() == b""
    left = {file.name for file in tmp_path.glob(".unnaive-*")}
    assert len(left) == 5
    with changing(path, never), replacing(path) as out:
        out.write(b"new")
    left = {file.name for file in tmp_path.glob(".unnaive-*")}
    assert len(left) == 3  # those beside the other file, and what is no draft
    with changing(tmp_path / "b.csv", never), replacing(tmp_path / "b.csv"):
        pass
    assert {file.name for file in tmp_path.glob(".unnaive-*")} == {beside(path, "-0.part").name}


@posix
def test_a_folder_appears_when_it_is_complete_and_never_if_there_is_an_error(tmp_path):
    path = tmp_path / "deep" / "a"
    with new_folder(path) as draft:
        (draft / "1").touch()
        assert os.listdir(path.parent) == [draft.name]
    assert os.listdir(path) == ["1"]
    with pytest.raises(OutputError, match="deep/a' cannot be written: Directory not empty"), new_folder(path):
        pass
    with pytest.raises(FileNotFoundError), new_folder(tmp_path / "b") as draft:
        (draft / "none").unlink()
    assert os.listdir(path.parent) == ["a"]
    assert os.listdir(tmp_path) == ["deep"]


@posix
def test_a_folder_that_a_killed_process_left_is_removed_and_one_that_is_being_written_stays(tmp_path):
    path = tmp_path / "a"
    code = "with new_folder(file) as draft:\n    (draft / 'part').touch()\n"
    process = start(f"{code}    print('writing', flush=True)\n    time.sleep(60)", path)
    assert process.stdout.readline() == "writing\n"
    (left,) = tmp_path.iterdir()
    beside(path, "-0.part").symlink_to(tmp_path)
    with new_folder(path):
        assert os.listdir(left) == ["part"]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert left.exists()
    path.rmdir()
    with new_folder(path):
        pass
    assert sorted(os.listdir(tmp_path)) == [beside(path, "-0.part").name, "a"]


@posix
def test_a_draft_that_is_taken_for_a_leftover_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    path, tried = tmp_path / "a.csv", []

    def swept_first(file):
        tried.append(file)
        if len(tried) == 1:
            output_file._sweep(path)  # another process comes in between
        return file_lock.try_lock(file)

    monkeypatch.setattr(output_file, "try_lock", swept_first)
    fill(path)
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.csv"]
    path.unlink()
    tried.clear()
    with new_folder(path):
        assert len(tried) == 3
    assert os.listdir(tmp_path) == ["a.csv"]


COUNT = """
for _ in range(20):
    with changing(file, lambda: None):
        n = int(open(file).read())
        time.sleep(0.001)
        with replacing(file) as out:
            out.write(str(n + 1).encode())
"""


def test_no_change_is_lost_when_several_processes_change_a_file(tmp_path):
    path = tmp_path / "n"
    path.write_text("0")
    processes = [start(COUNT, path) for _ in range(2)]
    for process in processes:
        process.communicate()
    assert path.read_text() == "40"
    assert os.listdir(tmp_path) == ["n"]


def test_who_waits_is_told_once_and_may_refuse(tmp_path, monkeypatch):
    path, told, pauses = tmp_path / "a", [], []
    other = ExitStack()
    other.enter_context(changing(path, never))

    def pause(_):
        pauses.append(path)
        if len(pauses) == 3:
            other.close()

    monkeypatch.setattr("time.sleep", pause)
    with pytest.raises(AssertionError, match="nobody else"):
        changing(path, never).__enter__()
    with changing(path, lambda: told.append(path)):
        assert len(pauses) == 3
    assert told == [path]
    assert os.listdir(tmp_path) == []


@posix
def test_a_lock_that_is_removed_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    path, locks = tmp_path / "a", []

    def removed_first(file):
        locks.append(file)
        if len(locks) == 1:
            beside(path, ".lock").unlink()
        elif len(locks) == 2:
            beside(path, ".lock").unlink()
            beside(path, ".lock").touch()
        return try_lock(file)

    try_lock = file_lock.try_lock
    monkeypatch.setattr(file_lock, "try_lock", removed_first)
    with changing(path, never):
        monkeypatch.undo()
        with pytest.raises(AssertionError, match="nobody else"):
            changing(path, never).__enter__()
    assert len(locks) == 3


@posix
def test_where_there_are_no_locks_files_are_written_with_a_warning_that_changes_may_be_lost(tmp_path, monkeypatch):
    path = tmp_path / "a"
    monkeypatch.setattr("fcntl.flock", failing(errno.ENOSYS))
    change = changing(path, never)
    with pytest.warns(UserWarning, match=r"has no locks \(.*\): change its files from one process at a time"):
        change.__enter__()
    with replacing(path) as out:
        draft = next(tmp_path.glob("*.part"))
        fill(path)
        assert draft.exists()  # as nobody knows whether its writer lives
        out.write(b"newer")
    assert path.read_bytes() == b"newer"
    change.__exit__(None, None, None)
    assert os.listdir(tmp_path) == ["a"]
