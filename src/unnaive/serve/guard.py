"""Guard: who may ask, and how much; every request passes it before anything is read, and every answer after."""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from unnaive.serve.json_logs import LOGGER
from unnaive.serve.metrics import Metrics
from unnaive.serve.refusal import Refusal
from unnaive.serve.settings import NO_TOKEN, Settings, is_local

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

FAILED = "The service has a defect, and failed on this request: its log names the place."
WRITES = ("/learn", "/forget", "/merge")
_ALWAYS = ("/health", "/metrics")  # served however many others there are
_OPEN_FOR = 1  # seconds after which to try again


class _GoneError(Exception):
    """The client has left before the request was complete."""


class Guard:
    """ASGI middleware: host, token, number of requests, size and time of the body, errors as a sentence, logs."""

    def __init__(self, app: Any, settings: Settings, metrics: Metrics, paths: set[str]) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._paths = paths
        self._n_running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        began, answer = time.perf_counter(), _Answer(send)
        scope.setdefault("state", {})["n_rows"] = 0
        body = b""
        self._n_running += 1
        try:
            headers = {name.decode("latin1").lower(): text.decode("latin1") for name, text in scope["headers"]}
            self._check(scope["path"], headers)
            body = await self._body(headers, receive)
            await self._app(scope, _once(body, receive), answer.send)
        except _GoneError:
            answer.status = 499
        except Refusal as refusal:
            await answer.refuse(refusal)
        except Exception:
            LOGGER.error("failed", exc_info=True)
            await answer.refuse(Refusal(500, FAILED))
        finally:
            self._n_running -= 1
            self._tell(scope, answer.status, time.perf_counter() - began, len(body))

    def _check(self, path: str, headers: dict[str, str]) -> None:
        settings = self._settings
        if self._n_running > settings.max_requests and path not in _ALWAYS:
            raise Refusal(
                429,
                f"More than {settings.max_requests} requests at a time: try again later.",
                {"retry-after": str(_OPEN_FOR)},
            )
        if settings.is_loopback and not is_local(_host_in(headers.get("host", ""))):
            # A page in a browser can make its own name point to this machine.
            raise Refusal(421, "This service is for this machine alone: ask it as 127.0.0.1 or localhost.")
        if path in WRITES and settings.token is None and not settings.follow:
            raise Refusal(403, NO_TOKEN)
        if settings.token is not None and (path in WRITES or not settings.is_loopback):
            scheme, _, given = headers.get("authorization", "").partition(" ")
            wanted = settings.token.encode()
            if not hmac.compare_digest(given.strip().encode(), wanted) or scheme.lower() != "bearer":
                raise Refusal(
                    401,
                    "The token is missing or wrong: send it as Authorization: Bearer TOKEN.",
                    {"www-authenticate": "Bearer"},
                )
        if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            raise Refusal(415, "Compressed requests are not read: send the body as it is.")

    async def _body(self, headers: dict[str, str], receive: Receive) -> bytes:
        settings = self._settings
        too_large = Refusal(
            413,
            f"The request has more than {settings.max_bytes:,} bytes: send less at a time.",
            {"connection": "close"},
        )
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()):
            raise Refusal(400, "The Content-Length is not a number.", {"connection": "close"})
        if len(length) > 18 or int(length) > settings.max_bytes:
            raise too_large

        async def read() -> bytes:
            parts, size = [], 0
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise _GoneError
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > settings.max_bytes:
                    raise too_large
                if not message.get("more_body", False):
                    return b"".join(parts)

        try:
            return await asyncio.wait_for(read(), settings.seconds)
        except (TimeoutError, asyncio.TimeoutError):
            raise Refusal(
                408, f"The request did not arrive within {settings.seconds:g} seconds.", {"connection": "close"}
            ) from None

    def _tell(self, scope: Scope, status: int, seconds: float, n_bytes: int) -> None:
        path = scope["path"] if scope["path"] in self._paths else "other"
        n_rows = scope["state"]["n_rows"]
        self._metrics.count(path, status, seconds, n_rows)
        facts = {"path": path, "status": status, "seconds": round(seconds, 6), "bytes": n_bytes, "rows": n_rows}
        LOGGER.info("request", extra={"facts": {**facts, **scope["state"].get("facts", {})}})


class _Answer:
    """What is sent, with its status; a refusal if nothing was sent yet."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self._send(message)

    async def refuse(self, refusal: Refusal) -> None:
        if self.status:
            return
        content = json.dumps({"error": refusal.sentence}).encode()
        headers = {"content-type": "application/json", "content-length": str(len(content)), **refusal.headers}
        pairs = [(name.encode(), text.encode()) for name, text in headers.items()]
        await self.send({"type": "http.response.start", "status": refusal.status, "headers": pairs})
        await self.send({"type": "http.response.body", "body": content})


def _once(body: bytes, receive: Receive) -> Receive:
    """A body that was read, then whatever else comes."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def read() -> Any:
        return left.pop() if left else await receive()

    return read


def _host_in(header: str) -> str:
    """The host in a Host header, without its port and brackets."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0]
