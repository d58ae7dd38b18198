"""Requests that nobody should send: the answer is 4xx, never 5xx, and nothing changes.

``python -m tests.serve.hostile --requests 10000`` sends them to a service on this machine, raw bytes among them.
"""

import argparse
import io
import json
import socket
import sys
import tempfile
from collections import Counter
from pathlib import Path

import httpx
import numpy as np
import pyarrow as pa

from tests.serve.client import HEADERS, Process
from tests.serve.tables import TARGET, objects, rows, write_model

JSON, CSV, ARROW = "application/json", "text/csv", "application/vnd.apache.arrow.stream"
PATHS = ("/predict", "/explain", "/learn", "/forget", "/merge")
VALUES = (
    *("", "\x00", "a\x00b", "'; DROP TABLE entries; --", "𝔘" * 50, "x" * 5000, "NaN", "inf", "1e999", "=1+1"),
    *(True, False, [], [[]], {}, {"a": 1}, [1, "x"], [None], -(2**63) - 1, 2**64, 10**300, 1e308, -0.0, "\u202e"),
)
NAMES = ("word", "number", TARGET, "", "\x00", "__proto__", "word ", "WORD", "x" * 300, "journal")
CONSTANTS = (b"NaN", b"Infinity", b"-Infinity", b"1e999", b"0x10", b"01", b"'a'", b"\\u0000", b"undefined")
MEDIA = (JSON, CSV, ARROW, "", "text/html", "application/octet-stream", "multipart/form-data; boundary=x", "a" * 500)
CHARSETS = ("utf-8", "utf-16", "utf-7", "latin1", "idna", "rot13", "zlib", "\x7f", "unicode_escape", "base64")


def wrong_objects(rng):
    """Rows of which at least one cannot be learned or forgotten."""
    frame = objects(rows(int(rng.integers(2**32)), int(rng.integers(1, 5))))
    for _ in range(rng.integers(1, 4)):
        row = frame[rng.integers(len(frame))]
        name = NAMES[rng.integers(len(NAMES))]
        if rng.random() < 0.3:
            row.pop(name, None)
        else:
            row[name] = VALUES[rng.integers(len(VALUES))]
    frame[rng.integers(len(frame))][TARGET] = "no-such-label"
    return frame


def flipped(rng, body):
    """Bytes that are cut off, and some of them changed."""
    damaged = bytearray(body[: int(rng.integers(1, len(body) + 1))])
    for place in rng.integers(len(damaged), size=rng.integers(1, 6)):
        damaged[place] = rng.integers(256)
    return bytes(damaged)


def hostile(rng, model):
    """A method, a path, headers and a body."""
    kind = rng.integers(10)
    path = PATHS[rng.integers(len(PATHS))]
    media, body = JSON, json.dumps(wrong_objects(rng)).encode()
    method, headers = "POST", dict(HEADERS)
    if kind == 1:
        body = flipped(rng, body)
    elif kind == 2:
        depth = int(rng.integers(3, 30_000))
        opens, closes = ((b"[", b"]"), (b'{"a":', b"}"))[rng.integers(2)]
        body = opens * depth + b"1" + closes * depth * int(rng.integers(2))
    elif kind == 3:
        constant = CONSTANTS[rng.integers(len(CONSTANTS))]
        body = b'[{"word": "a", "number": ' + constant + b', "play": "no-such-label"}]'
    elif kind == 4:
        media = MEDIA[rng.integers(len(MEDIA))]
        if rng.random() < 0.5:
            media += f"; charset={CHARSETS[rng.integers(len(CHARSETS))]}"
        body = rng.bytes(int(rng.integers(0, 2000)))
    elif kind == 5:
        media = CSV
        text = rows(int(rng.integers(2**32)), 5).assign(play="no-such-label").to_csv(index=False)
        body = flipped(rng, text.replace(",", (",", ";", "\x00", '"', "\n")[rng.integers(5)]).encode())
    elif kind == 6:
        media, path = "application/octet-stream", "/merge"
        body = flipped(rng, model)
    elif kind == 7:
        headers["authorization"] = ("", "Bearer", "Bearer x", "Basic eDp5", "Bearer " + "x" * 5000)[rng.integers(5)]
        path = ("/learn", "/forget", "/merge")[rng.integers(3)]
    elif kind == 8:
        method = ("GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST")[rng.integers(7)]
        path = ("/index.html", "/docs", "/learn/", "//learn", "/../m.unnaive", "/%00", "/model/x", "/health?x=\u00e9")[
            rng.integers(8)
        ]
    elif kind == 9:
        media = ARROW
        sink = io.BytesIO()
        table = pa.Table.from_pandas(rows(int(rng.integers(2**32)), 5).assign(play="no-such-label"))
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        body = flipped(rng, sink.getvalue())
    headers["content-type"] = media.encode("latin1", "replace")
    if rng.random() < 0.2:
        headers["accept"] = (CSV, ARROW, "image/png", "*/*;q=x", ",,;;", "x" * 500)[rng.integers(6)]
    if rng.random() < 0.2:
        headers["idempotency-key"] = ("k", "x" * 300, "a b", "\x01")[rng.integers(4)]
    return method, path, headers, body


RAW = (
    b"nonsense\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # the beginning of TLS
    b"POST /learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\nabcde",
    b"POST /learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET",
    b"POST /learn HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\nabc\r\n",
    b"POST /learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    b"POST /learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999\r\n\r\n[",
    b"POST /learn HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
    b"GET " + b"/x" * 50_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /model HTTP/9.9\r\nHost: localhost\r\n\r\n",
    b"GET /model HTTP/1.1\r\n\r\n",
    b"GET http://evil.example.org/model HTTP/1.1\r\nHost: evil.example.org\r\n\r\n",
    b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n[{",
)


def raw(port, content):
    """The status that bytes are answered with; 0 if the connection is closed or nothing comes."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        try:
            connection.sendall(content)
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(1000)
        except OSError:
            return 0
    return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else 0


def may_succeed(method, path):
    """Whether a request may be answered though it is odd: it changes nothing."""
    return path in ("/predict", "/explain") or method in ("GET", "OPTIONS", "HEAD")


def attack(n_requests, seed, model, send, look):
    """Send hostile requests; a count of the statuses, and the requests that were answered wrongly."""
    rng = np.random.default_rng(seed)
    statuses, wrong = Counter(), []
    before = look()
    for number in range(n_requests):
        method, path, headers, body = hostile(rng, model)
        answer = send(method, path, headers, body)
        if answer is None:  # not even HTTP
            statuses["none"] += 1
            continue
        statuses[answer.status_code] += 1
        fine = 400 <= answer.status_code < 500 or (answer.status_code == 200 and may_succeed(method, path))
        if not fine or "Traceback" in answer.text:
            wrong.append(
                f"{number}: {method} {path} {headers} {body[:200]!r}: {answer.status_code} {answer.text[:200]}"
            )
        if number % 1000 == 999 and look() != before:
            wrong.append(f"the model has changed up to request {number}")
    if look() != before:
        wrong.append("the model has changed")
    return statuses, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        path = write_model(Path(folder, "m.unnaive"), rows(0, 40))
        model = path.read_bytes()
        service = Process(path)
        service.start()

        def send(method, path, headers, body):
            request = httpx.Request(method, service.url + path, headers={"host": "localhost", **headers}, content=body)
            try:
                return service.client.send(request)
            except httpx.LocalProtocolError:  # the client does not even send it
                return None

        facts = ("hash", "entry", "weight")
        statuses, wrong = attack(
            args.requests, args.seed, model, send, lambda: [service.client.get("/model").json()[name] for name in facts]
        )
        for content in RAW:
            status = raw(int(service.url.rsplit(":", 1)[1]), content)
            statuses[status] += 1
            if status != 0 and not 400 <= status < 500:
                wrong.append(f"{content[:200]!r}: {status}")
        code = service.stop()
    print(json.dumps({"statuses": {str(status): n for status, n in sorted(statuses.items(), key=str)}, "exit": code}))
    for request in wrong:
        print(request)
    return 1 if wrong or code else 0


if __name__ == "__main__":
    sys.exit(main())
