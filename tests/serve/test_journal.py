import os
import sqlite3

import pytest

from unnaive.serve.journal import Entry, Journal, JournalError, Sent


def entry(number, sent):
    return sent, Entry(number, sent.verb, sent.sha256, 1, float(number))


@pytest.fixture
def journal(tmp_path):
    opened = Journal(tmp_path / "m.journal")
    yield opened
    opened.close()


def on_disk(journal):
    """All bytes of the journal's files."""
    return b"".join(path.read_bytes() for path in journal.path.parent.glob("m.journal*"))


def test_entries_come_back_in_their_order(journal):
    sent = [Sent("learn", "text/csv", b"one"), Sent("forget", "application/json", b"two", "key")]
    journal.add([entry(1, sent[0])])
    journal.add([entry(2, sent[1])])
    assert [(number, found.verb, found.media, found.body) for number, found in journal.after(0)] == [
        (1, "learn", "text/csv", b"one"),
        (2, "forget", "application/json", b"two"),
    ]
    assert [number for number, _ in journal.after(1)] == [2]
    assert journal.last == 2
    assert journal.with_key("key") == Entry(2, "forget", sent[1].sha256, 1, 2.0)
    assert journal.with_key("other") is None


def test_a_journal_is_the_same_when_it_is_opened_again(tmp_path):
    journal = Journal(tmp_path / "m.journal")
    journal.add([entry(1, Sent("learn", "text/csv", b"one", "key"))])
    journal.close()
    again = Journal(tmp_path / "m.journal")
    assert (again.id, again.last) == (journal.id, 1)
    assert again.with_key("key") is not None
    again.close()


def test_released_rows_are_nowhere_on_the_disk(journal):
    rows = {number: b"row-%03d-" % number * 2000 for number in range(1, 9)}
    for number, body in rows.items():
        journal.add([entry(number, Sent("learn", "text/csv", body, f"key-{number}"))])
    assert b"row-003-" in on_disk(journal)
    journal.release(6)
    found = on_disk(journal)
    assert [number for number in rows if b"row-%03d-" % number in found] == [7, 8]
    assert journal.n_kept == 2
    journal.release(8)
    assert b"row-" not in on_disk(journal)
    assert journal.with_key("key-3").sha256 == Sent("", "", rows[3]).sha256
    assert b"key-3" not in on_disk(journal)


def test_all_changes_are_added_or_none(journal):
    journal.add([entry(1, Sent("learn", "text/csv", b"one"))])
    with pytest.raises(JournalError):
        journal.add([entry(2, Sent("learn", "text/csv", b"two")), entry(1, Sent("learn", "text/csv", b"again"))])
    assert journal.last == 1
    journal.add([entry(2, Sent("learn", "text/csv", b"two"))])
    assert journal.last == 2


def test_rows_that_are_gone_cannot_be_applied_again(journal):
    journal.add([entry(1, Sent("learn", "text/csv", b"one"))])
    journal.release(1)
    with pytest.raises(JournalError, match="put the newest model file back"):
        list(journal.after(0))


def test_one_process_has_a_journal_open_at_a_time(journal):
    other = sqlite3.connect(journal.path, timeout=0)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("SELECT * FROM entries")
    other.close()


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_only_its_owner_can_read_a_journal(journal):
    journal.add([entry(1, Sent("learn", "text/csv", b"one"))])
    for path in journal.path.parent.glob("m.journal*"):
        assert path.stat().st_mode & 0o077 == 0


def test_a_file_that_is_no_journal_is_refused(tmp_path):
    (tmp_path / "m.journal").write_bytes(b"what is this?" * 100)
    with pytest.raises(JournalError, match="cannot be opened as a journal"):
        Journal(tmp_path / "m.journal")
    with pytest.raises(JournalError, match="cannot be opened as a journal"):
        Journal(tmp_path / "none" / "m.journal")
