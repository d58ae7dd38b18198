"""`unnaive serve` beside a bare FastAPI app that loads the same model with joblib, MLServer, and calls in this process.

MLServer's scikit-learn runtime takes part if `--mlserver` names a Python that has it, and unnaive as well. All traffic
stays on this machine: clients that each send a request as soon as the one before is answered.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa

from benchmarks.exactness import table
from benchmarks.report import text_table
from benchmarks.timing import progress
from unnaive.models import MODELS
from unnaive.persist import save

_JSON, _ARROW = "application/json", "application/vnd.apache.arrow.stream"
_STARTS = 60.0  # seconds
_BARE = """
import sys
import joblib, pandas as pd, pyarrow as pa, uvicorn
from fastapi import FastAPI, Request, Response

model = joblib.load(sys.argv[1])
app = FastAPI()

@app.post("/predict")
def predict(rows: list[dict]) -> dict:
    found = model.predict_proba(pd.DataFrame(rows))
    return {"labels": model.classes_[found.argmax(axis=1)].tolist(), "probabilities": found.tolist()}

@app.post("/arrow")
async def arrow(request: Request) -> Response:
    found = model.predict_proba(pa.ipc.open_stream(await request.body()).read_all().to_pandas())
    answer = pa.table({"label": model.classes_[found.argmax(axis=1)], **{str(k): p for k, p in enumerate(found.T)}})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, answer.schema) as writer:
        writer.write_table(answer)
    return Response(sink.getvalue().to_pybytes())

@app.get("/health")
def health() -> dict:
    return {}

uvicorn.run(app, port=int(sys.argv[2]), log_level="error", access_log=False)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", default="aode", help="the model by its short name (default: aode)")
    parser.add_argument("--rows", type=int, default=20_000, help="training rows (default: 20,000)")
    parser.add_argument("--clients", type=int, default=100, help="clients at a time (default: 100)")
    parser.add_argument("--threads", type=int, default=2, help="threads of the service that predict (default: 2)")
    parser.add_argument("--mlserver", metavar="PYTHON", help="a Python with mlserver-sklearn and unnaive")
    parser.add_argument("--seconds", type=float, default=5.0, help="seconds per figure (default: 5)")


def run(args: argparse.Namespace) -> int:
    X, y = table(args.rows)
    model = MODELS[args.model].make().fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        kinds = {name: "text" if name.startswith("text") else "number" for name in X}
        save(model, Path(folder, "m.unnaive"), notes={"kinds": kinds, "text": [], "reading": {}})
        joblib.dump(model, Path(folder, "m.joblib"))
        ports = {"unnaive serve": 18_900, "FastAPI + joblib": 18_901}
        processes = [_serve(folder, ports["unnaive serve"], args.threads), _bare(folder, ports["FastAPI + joblib"])]
        if args.mlserver:
            ports["MLServer"] = 18_902
            processes.append(_mlserver(folder, args.mlserver, ports["MLServer"], (X, y), args.model))
        try:
            lines = asyncio.run(_measured(args, ports, X, model))
        finally:
            for process in processes:
                process.terminate()
                process.wait()
    print(f"{args.model} of {args.rows:,} rows and {X.shape[1]} columns, {args.clients} clients")
    print(text_table(["request", "answered by", "requests/s", "rows/s", "p50 ms", "p99 ms", "over bare"], lines))
    return 0


def _serve(folder: str, port: int, threads: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "unnaive", "serve", "m.unnaive", "--port", str(port), "--max-requests", "1000"]
    command += ["--threads", str(threads)]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _bare(folder: str, port: int) -> subprocess.Popen[bytes]:
    Path(folder, "bare.py").write_text(_BARE)
    command = [sys.executable, "bare.py", "m.joblib", str(port)]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_here())


def _mlserver(
    folder: str, python: str, port: int, rows: tuple[pd.DataFrame, Any], model: str
) -> subprocess.Popen[bytes]:
    """MLServer on a model fitted by its own Python, as files of joblib belong to one environment.

    It predicts in its own process: its pool of workers does not start with the newest uvloop.
    """
    home = Path(folder, "mlserver")
    home.mkdir()
    rows[0].assign(y=rows[1]).to_parquet(home / "rows.parquet")
    fit = f"""
import joblib, pandas as pd
from unnaive.models import MODELS
rows = pd.read_parquet("rows.parquet")
joblib.dump(MODELS[{model!r}].make().fit(rows.drop(columns="y"), rows["y"]), "m.joblib")
"""
    subprocess.run([python, "-c", fit], cwd=home, check=True)
    runtime = {"name": "m", "implementation": "mlserver_sklearn.SKLearnModel", "parameters": {"uri": "./m.joblib"}}
    Path(home, "model-settings.json").write_text(json.dumps(runtime))
    settings: dict[str, Any] = {"parallel_workers": 0, "host": "127.0.0.1", "debug": False}
    settings |= {"http_port": port, "grpc_port": port + 1, "metrics_port": port + 2}
    Path(home, "settings.json").write_text(json.dumps(settings))
    command = [python, "-m", "mlserver.cli.main", "start", "."]
    return subprocess.Popen(command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _here() -> dict[str, str]:
    import unnaive

    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(unnaive.__file__).parents[1]), *sys.path])}


async def _measured(args: argparse.Namespace, ports: dict[str, int], X: pd.DataFrame, model: Any) -> list[list[str]]:
    lines = []
    for name, port in ports.items():
        await _until_up(port, _request_to(name, X[:1], _JSON))
    for n_rows, media in ((1, _JSON), (1000, _JSON), (1000, _ARROW)):
        what = f"{n_rows:,} row{'s' * (n_rows > 1)}, {'Arrow' if media == _ARROW else 'JSON'}"
        figures = {}
        for name, port in ports.items():
            if name == "MLServer" and media == _ARROW:  # which it does not read
                continue
            progress(f"{what}: {name}")
            request = _request_to(name, X[:n_rows], media)
            await _load(port, request, min(args.clients, 4), 1.0)  # compiles, and fills caches
            figures[name] = await _load(port, request, args.clients, args.seconds)
            if media == _JSON and not np.array_equal(await _labels(port, request), model.predict(X[:n_rows])):
                raise RuntimeError(f"{name} gives other labels.")
        figures["in this process"] = _in_process(model, X[:n_rows], args.seconds)
        if media == _ARROW:
            rows = pa.Table.from_pandas(X[:n_rows], preserve_index=False)
            figures["in this process, from Arrow"] = _in_process(model, rows, args.seconds)
        bare = figures["FastAPI + joblib"]
        for name, seconds in figures.items():
            rate, p50, p99 = len(seconds[0]) / seconds[1], *np.quantile(seconds[0], [0.5, 0.99])
            over = rate / (len(bare[0]) / bare[1])
            lines.append(
                [
                    what,
                    name,
                    f"{rate:.0f}",
                    f"{rate * n_rows:.0f}",
                    f"{1e3 * p50:.2f}",
                    f"{1e3 * p99:.2f}",
                    f"{over:.2f}",
                ]
            )
    return lines


def _request_to(name: str, frame: pd.DataFrame, media: str) -> bytes:
    """The request for predictions, as a server wants it."""
    if name == "MLServer":
        return _request("/v2/models/m/infer", media, _inference_body(frame))
    path = "/arrow" if media == _ARROW and name.startswith("FastAPI") else "/predict"
    return _request(path, media, _body(frame, media))


def _inference_body(frame: pd.DataFrame) -> bytes:
    """A frame in the Open Inference Protocol."""
    inputs = []
    for name, column in frame.items():
        is_text = str(name).startswith("text")
        described = {"datatype": "BYTES", "parameters": {"content_type": "str"}} if is_text else {"datatype": "FP64"}
        inputs.append({"name": name, "shape": [len(frame), 1], "data": column.tolist(), **described})
    outputs = [{"name": "predict"}, {"name": "predict_proba"}]
    return json.dumps({"parameters": {"content_type": "pd"}, "inputs": inputs, "outputs": outputs}).encode()


def _body(frame: pd.DataFrame, media: str) -> bytes:
    if media == _JSON:
        return json.dumps(frame.to_dict("records")).encode()
    sink = io.BytesIO()
    rows = pa.Table.from_pandas(frame, preserve_index=False)
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return sink.getvalue()


def _request(path: str, media: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {media}\r\nAccept: {media}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def _until_up(port: int, request: bytes) -> None:
    ends = time.monotonic() + _STARTS
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            await _ask(reader, writer, request)
            writer.close()
            return
        except (OSError, RuntimeError):
            if time.monotonic() > ends:
                raise
            await asyncio.sleep(0.1)


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> bytes:
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n")[0]:
        raise RuntimeError(head.decode())
    length = re.search(rb"content-length: (\d+)", head.lower())
    return await reader.readexactly(int(length.group(1)) if length else 0)


async def _load(port: int, request: bytes, n_clients: int, seconds: float) -> tuple[list[float], float]:
    """Seconds that each request took, and those of all together."""
    taken: list[float] = []
    began = time.perf_counter()

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**24)
        while (start := time.perf_counter()) < began + seconds:
            await _ask(reader, writer, request)
            taken.append(time.perf_counter() - start)
        writer.close()

    await asyncio.gather(*(client() for _ in range(n_clients)))
    return taken, time.perf_counter() - began


async def _labels(port: int, request: bytes) -> list[Any]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**24)
    content = await _ask(reader, writer, request)
    writer.close()
    answer = json.loads(content)
    return answer["labels"] if "labels" in answer else answer["outputs"][0]["data"]


def _in_process(model: Any, rows: pd.DataFrame | pa.Table, seconds: float) -> tuple[list[float], float]:
    taken: list[float] = []
    began = time.perf_counter()
    while (start := time.perf_counter()) < began + seconds:
        model.predict_proba(rows)
        taken.append(time.perf_counter() - start)
    return taken, time.perf_counter() - began
