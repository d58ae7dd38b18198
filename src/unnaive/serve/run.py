"""Run a service until it is told to stop."""

from __future__ import annotations

import signal
import socket
import warnings
from collections.abc import Callable
from pathlib import Path

import uvicorn

from unnaive.serve.app import Service, create_app
from unnaive.serve.json_logs import log_as_json
from unnaive.serve.settings import Settings

_GRACE = 10  # seconds for requests that are under way


def run(path: Path, settings: Settings, ready: Callable[[str], None]) -> None:
    """Serve a model file; ``ready`` is called with the address when it answers."""
    listener = _listen(settings)
    try:
        log_as_json()
        warnings.simplefilter("ignore")  # about data, which logs are not to quote
        app = create_app(Service(path, settings))
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            timeout_graceful_shutdown=_GRACE,
        )
        server = uvicorn.Server(config)
        for told in (signal.SIGINT, signal.SIGTERM):
            signal.signal(told, server.handle_exit)  # and not what ends the process, when it has stopped or not begun
        ready(f"http://{host}:{listener.getsockname()[1]}")
        server.run(sockets=[listener])
    finally:
        listener.close()


def _listen(settings: Settings) -> socket.socket:
    """A socket that listens; ValueError if the address is taken or is none."""
    try:
        ((family, kind, protocol, _, address), *_) = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as problem:
        raise ValueError(
            f"The service cannot listen on {settings.host}, port {settings.port} ({problem.strerror}): choose another "
            "with --host and --port."
        ) from None
    listener.listen(1024)
    return listener
