import pytest

from unnaive.serve.settings import Settings, is_local, read_token


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("LocalHost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.0.1", False),
        ("localhost.example.org", False),
        ("", False),
    ],
)
def test_only_this_machines_own_addresses_are_local(host, local):
    assert is_local(host) == local


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org"])
def test_a_service_for_others_needs_a_token(host):
    with pytest.raises(ValueError, match="no token"):
        Settings(host)
    Settings(host, token="x" * 16)
    Settings("127.0.0.1")


def test_a_token_is_not_shown():
    assert "secret" not in repr(Settings(token="secret-secret-secret"))


def test_a_token_is_read_from_a_file_or_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv("UNNAIVE_TOKEN", raising=False)
    assert read_token(None) is None
    monkeypatch.setenv("UNNAIVE_TOKEN", "of-the-environment")
    assert read_token(None) == "of-the-environment"
    (tmp_path / "token").write_text("of-the-file-abcdef\n")
    assert read_token(tmp_path / "token") == "of-the-file-abcdef"


@pytest.mark.parametrize(
    "token", ["", "short", "two words are not a token", "žluťoučký-kůň-pěl", "tab\tin-a-token-0123"]
)
def test_what_is_no_token_is_refused(tmp_path, monkeypatch, token):
    (tmp_path / "token").write_text(token, encoding="utf-8")
    with pytest.raises(ValueError, match="holds no token"):
        read_token(tmp_path / "token")
    monkeypatch.setenv("UNNAIVE_TOKEN", token)
    with pytest.raises(ValueError, match="UNNAIVE_TOKEN holds no token"):
        read_token(None)


def test_a_missing_token_file_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="cannot be read"):
        read_token(tmp_path / "none")
