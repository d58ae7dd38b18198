"""Settings: where a service listens, who may use it, and what a request may cost."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

VARIABLE = "UNNAIVE_TOKEN"
NO_TOKEN = f"The service was started without a token, so nothing can be changed: set {VARIABLE} or --token-file."
FOLLOWS = "This service follows a model file that another one changes: send changes to that one."
_SHORTEST = 16  # characters of a token
_LOCAL = "localhost"


@dataclass(frozen=True)
class Settings:
    """Address, token and limits of a service.

    ``max_bytes`` and ``max_rows`` are of a request, ``max_explained`` rows are explained at a time, ``max_requests``
    are served at a time, by ``threads``. A request must arrive, and its turn must come, within ``seconds``; a change is
    in the model file ``snapshot_seconds`` later, or sooner if it forgets. With ``follow`` nothing is changed, and a new
    model file is taken over within that time.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = field(default=None, repr=False)
    max_bytes: int = 2**24
    max_rows: int = 50_000
    max_explained: int = 100
    max_requests: int = 128
    seconds: float = 30.0
    threads: int = 2
    snapshot_seconds: float = 5.0
    follow: bool = False

    def __post_init__(self) -> None:
        if self.token is None and not self.is_loopback:
            raise ValueError(
                f"{self.host} can be reached from other machines, and there is no token: set the environment variable "
                f"{VARIABLE} or --token-file, or listen on 127.0.0.1."
            )

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        return is_local(self.host)


def is_local(host: str) -> bool:
    """Whether a host name or address is that of this machine to itself."""
    try:
        return host.lower() == _LOCAL or ip_address(host).is_loopback
    except ValueError:
        return False


def read_token(file: Path | None) -> str | None:
    """The token in a file or else in the environment variable; None if there is neither."""
    if file is not None:
        try:
            found, where = file.read_text(encoding="utf-8").strip(), str(file)
        except (OSError, UnicodeDecodeError):
            raise ValueError(f"{file} cannot be read: name a file that holds the token alone.") from None
    elif VARIABLE in os.environ:
        found, where = os.environ[VARIABLE].strip(), f"The environment variable {VARIABLE}"
    else:
        return None
    if len(found) < _SHORTEST or not found.isascii() or not found.isprintable() or " " in found:
        raise ValueError(
            f"{where} holds no token: it needs at least {_SHORTEST} ASCII characters without spaces, as `openssl rand "
            "-hex 32` prints them."
        )
    return found
