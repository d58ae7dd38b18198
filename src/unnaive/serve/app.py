"""The application: the endpoints of a service, each a few lines over what the command line does with files."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import sys
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from sklearn.exceptions import NotFittedError
from starlette.exceptions import HTTPException

from unnaive import __version__
from unnaive.evaluate.json_values import to_json_values
from unnaive.models import classifier_of
from unnaive.persist.certificate import what_stays
from unnaive.persist.manifest import describe
from unnaive.serve.answers import form_of, written
from unnaive.serve.changes import State
from unnaive.serve.guard import FAILED, Guard
from unnaive.serve.journal import Entry, Sent
from unnaive.serve.live_model import LiveModel
from unnaive.serve.metrics import MEDIA, Metrics
from unnaive.serve.refusal import Refusal
from unnaive.serve.request_rows import ARROW, CSV, JSON, read_rows
from unnaive.serve.settings import Settings
from unnaive.show.cell_evidence import CellEvidenceDisplay
from unnaive.show.evidence import EvidenceDisplay
from unnaive.show.what_if.page import render_what_if
from unnaive.streaming.model_columns import hold
from unnaive.streaming.predicting import predict_table

MODEL = "application/octet-stream"
_LONGEST_KEY = 255
_FADES = 0.5  # how much of the longest time so far is left after each prediction
_Result = TypeVar("_Result")

_ROWS = {
    "schema": {
        "oneOf": [
            {"type": "object", "additionalProperties": True},
            {"type": "array", "items": {"type": "object", "additionalProperties": True}, "minItems": 1},
        ]
    }
}
_TEXT, _BYTES = {"schema": {"type": "string"}}, {"schema": {"type": "string", "format": "binary"}}
_TABLE = {JSON: _ROWS, CSV: _TEXT, ARROW: _BYTES}
_KEY = {"name": "Idempotency-Key", "in": "header", "required": False, "schema": {"type": "string", "maxLength": 255}}
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": what, "content": {JSON: {"schema": {"type": "object", "required": ["error"]}}}}
    for status, what in {
        400: "The body cannot be read.",
        401: "The token is missing or wrong.",
        408: "The request did not arrive, or its turn did not come, in time.",
        409: "The model cannot do this.",
        413: "The request is too large.",
        415: "Rows of another form.",
        422: "A row cannot be used; nothing was changed.",
        429: "Too many requests at a time.",
    }.items()
}


def _body(content: dict[str, Any], *, key: bool = False) -> dict[str, Any]:
    """What OpenAPI says of a request."""
    described: dict[str, Any] = {"requestBody": {"required": True, "content": content}}
    if key:
        described |= {"parameters": [_KEY], "security": [{"token": []}]}
    return described


class Service:
    """A live model, the threads that predict with it, and what is counted of its requests."""

    def __init__(self, path: Path, settings: Settings) -> None:
        self.settings = settings
        self.live = LiveModel(path, settings)
        self.metrics = Metrics()
        self._pool = ThreadPoolExecutor(settings.threads, thread_name_prefix="unnaive-predict")
        self._slow_pool = ThreadPoolExecutor(1, thread_name_prefix="unnaive-explain")
        self._seconds: dict[int, float] = {}  # per prediction, by the bit length of the size of its request

    def close(self) -> None:
        """Stop, with everything saved."""
        for pool in (self._pool, self._slow_pool):
            pool.shutdown(wait=True, cancel_futures=True)
        self.live.close()

    async def run(self, work: Callable[..., _Result], *args: Any, slow: bool = False) -> _Result:
        """Work on a thread, unless its turn does not come in time; what rows make it raise is a refusal.

        What is slow has a thread of its own, so that predictions need not wait for it.
        """
        return await self._wait((self._slow_pool if slow else self._pool).submit(_refusing, work, *args))

    async def _wait(self, future: Future[_Result]) -> _Result:
        """The result of a future, if it begins in time; what has begun is waited for."""
        wrapped = asyncio.wrap_future(future)
        done, _ = await asyncio.wait([wrapped], timeout=self.settings.seconds)
        if not done and future.cancel():
            raise Refusal(
                408, f"The service is busy, and nothing was done within {self.settings.seconds:g} seconds: try again."
            )
        return await wrapped

    async def change(self, request: Request, verb: str) -> Response:
        """Learn, forget or merge, and answer when it is on the disk."""
        key = request.headers.get("idempotency-key")
        if key is not None and not 0 < len(key) <= _LONGEST_KEY:
            raise Refusal(400, f"An Idempotency-Key has 1 to {_LONGEST_KEY} characters.")
        media = MODEL if verb == "merge" else request.headers.get("content-type", "")
        sent = Sent(verb, media, await request.body(), key)
        change = await self.run(self.live.read, sent)
        entry, before = await self._wait(self.live.submit(change))
        request.state.n_rows = 0 if before else entry.n_rows
        request.state.facts = {"entry": entry.number, "repeated": before}
        return JSONResponse(_facts_of(entry), headers={"idempotency-replayed": "true"} if before else None)

    async def predict(self, media: str, body: bytes, form: str) -> tuple[bytes, int]:
        """Labels and probabilities of the rows in a body, and how many they are.

        A request as short as the interpreter's switch interval is answered on the event loop: handing it to a thread
        and back would take longer than the work.
        """
        args = self.live.state, media, body, form
        if self._seconds.get(len(body).bit_length(), math.inf) < sys.getswitchinterval():
            return _refusing(self._predicted, *args)
        return await self.run(self._predicted, *args)

    def _predicted(self, state: State, media: str, body: bytes, form: str) -> tuple[bytes, int]:
        began = time.thread_time()
        table = read_rows(state.saved, media, body, self.settings)
        content = written(state.saved, state.entry, predict_table(state.saved, table), form)
        size, taken = len(body).bit_length(), time.thread_time() - began
        self._seconds[size] = max(taken, _FADES * self._seconds.get(size, 0.0))
        return content, table.n_rows

    def explain(self, state: State, media: str, body: bytes) -> tuple[bytes, int]:
        """What every column contributed to the predictions of the rows in a body, and how many they are."""
        model = state.saved.model
        of_cells = hasattr(classifier_of(model), "cell_evidence")
        if not of_cells and not hasattr(classifier_of(model), "predict_evidence"):
            kind = type(classifier_of(model)).__name__
            raise Refusal(409, f"A {kind} cannot say what its columns contribute.")
        table = read_rows(state.saved, media, body, self.settings)
        if table.n_rows > self.settings.max_explained:
            raise Refusal(413, f"At most {self.settings.max_explained} rows are explained at a time: send fewer.")
        frame = hold(state.saved, table, labelled=False).read()
        display = CellEvidenceDisplay if of_cells else EvidenceDisplay
        found = [display.of(model, frame, row=row).facts_ for row in range(len(frame))]
        answer = {"target": state.saved.target, "entry": state.entry, "explanations": to_json_values(found)}
        return json.dumps(answer, allow_nan=False).encode(), len(frame)

    def page(self, state: State) -> str:
        """The page on which to ask what if of the model."""
        try:
            return render_what_if(state.saved.model, target=state.saved.target)[0]
        except ValueError as problem:
            raise Refusal(409, str(problem)) from None

    def describe(self) -> dict[str, Any]:
        """What the model is now."""
        live, state = self.live, self.live.state
        saved = state.saved
        counts = getattr(classifier_of(saved.model), "class_count_", None)
        return to_json_values(
            {
                "unnaive": __version__,
                **describe(saved.model),
                "target": saved.target,
                "class_counts": counts,
                "hash": state.hash,
                "entry": state.entry,
                "saved_entry": live.saved_entry,
                "read_only": live.why_read_only,
                "stays_when_forgetting": None if live.why_read_only else what_stays(saved),
            }
        )

    def gauges(self) -> dict[str, tuple[str, float]]:
        """Numbers of the moment."""
        live = self.live
        return {
            "unnaive_entry": ("Last journal entry that answers follow from.", live.state.entry),
            "unnaive_saved_entry": ("Last journal entry that the model file contains.", live.saved_entry),
            "unnaive_failed_saves": ("Attempts to save the model that failed.", live.n_failed_saves),
            "unnaive_waiting_changes": ("Changes that wait to be made.", live.n_waiting),
            "unnaive_model_weight": ("Weight of all rows of the model.", live.state.total or 0.0),
        }


def _refusing(work: Callable[..., _Result], *args: Any) -> _Result:
    """Run with what the data make it raise as a refusal."""
    try:
        return work(*args)
    except NotFittedError as problem:
        raise Refusal(409, str(problem)) from None
    except ValueError as problem:
        raise Refusal(422, str(problem)) from None


def _facts_of(entry: Entry) -> dict[str, Any]:
    return {
        "entry": entry.number,
        "verb": entry.verb,
        "rows": entry.n_rows,
        "total": entry.total,
        "sha256": entry.sha256,
    }


def create_app(service: Service) -> Guard:
    """The ASGI application of a service, which is closed when its lifespan ends."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.get_running_loop().run_in_executor(None, service.close)

    # No pages of documentation, as they would load scripts from elsewhere.
    app = FastAPI(
        title="unnaive",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses=_ERRORS,
    )
    _add_reading(app, service)
    _add_changes(app, service)

    @app.exception_handler(Refusal)
    async def refused(_: Request, refusal: Refusal) -> JSONResponse:
        return JSONResponse({"error": refusal.sentence}, refusal.status, refusal.headers)

    @app.exception_handler(HTTPException)
    async def no_such(_: Request, problem: HTTPException) -> JSONResponse:
        return JSONResponse({"error": f"{problem.detail}: see /openapi.json."}, problem.status_code, problem.headers)

    @app.exception_handler(Exception)
    async def failed(_: Request, problem: Exception) -> JSONResponse:  # which is raised again, and logged
        return JSONResponse({"error": FAILED}, 500)

    schema = app.openapi()
    schema["components"] = {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}}
    return Guard(app, service.settings, service.metrics, {getattr(route, "path", "") for route in app.routes})


def _add_reading(app: FastAPI, service: Service) -> None:
    """The endpoints that change nothing."""

    @app.get("/", response_class=HTMLResponse)
    async def page() -> Response:
        """A page on which to choose values and see the answer of the model as it is now."""
        content = await service.run(service.page, service.live.state, slow=True)
        return HTMLResponse(content, headers={"cache-control": "no-store"})

    @app.post("/predict", openapi_extra=_body(_TABLE), response_class=Response)
    async def predict(request: Request) -> Response:
        """The label and the class probabilities of every row, as JSON, CSV or an Arrow stream (Accept)."""
        form = form_of(request.headers.get("accept"))
        media, body = request.headers.get("content-type", ""), await request.body()
        content, request.state.n_rows = await service.predict(media, body, form)
        return Response(content, media_type=form)

    @app.post("/explain", openapi_extra=_body(_TABLE), response_class=Response)
    async def explain(request: Request) -> Response:
        """What every column of each row contributed to its prediction, in log odds."""
        media, body = request.headers.get("content-type", ""), await request.body()
        content, request.state.n_rows = await service.run(service.explain, service.live.state, media, body, slow=True)
        return Response(content, media_type=JSON)

    @app.get("/model")
    async def model() -> JSONResponse:
        """What the model is: columns, classes, contract, counts, content hash, and the last change that it contains."""
        return JSONResponse(await service.run(service.describe, slow=True))

    @app.get("/health")
    async def health() -> dict[str, Any]:
        """Whether the service answers, and the last change that its answers follow from."""
        return {"status": "ok", "entry": service.live.state.entry}

    @app.get("/metrics", response_class=Response)
    async def metrics() -> Response:
        """Requests, rows, seconds and memory, in the text format of Prometheus."""
        return Response(service.metrics.text(service.gauges()), media_type=MEDIA)


def _add_changes(app: FastAPI, service: Service) -> None:
    """The endpoints that change the model; they are answered when the change is on the disk."""

    @app.post("/learn", openapi_extra=_body(_TABLE, key=True))
    async def learn(request: Request) -> Response:
        """Count rows with their labels into the model, all of them or none."""
        return await service.change(request, "learn")

    @app.post("/forget", openapi_extra=_body(_TABLE, key=True))
    async def forget(request: Request) -> Response:
        """Take rows with their labels out of the model, all of them or none."""
        return await service.change(request, "forget")

    @app.post("/merge", openapi_extra=_body({MODEL: _BYTES}, key=True))
    async def merge(request: Request) -> Response:
        """Add everything that another model has counted, sent as a model file."""
        return await service.change(request, "merge")
