"""Logs of a service: a JSON object per line, without anything that rows hold."""

from __future__ import annotations

import json
import logging
import sys
from datetime import datetime, timezone

LOGGER = logging.getLogger("unnaive.serve")


class _JsonLines(logging.Formatter):
    """Time, level, event and facts; of an error only its type and place, as its message may quote rows."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage() if record.name == LOGGER.name else record.name,
            **getattr(record, "facts", {}),
        }
        if record.name != LOGGER.name and record.exc_info is None:
            line["message"] = record.getMessage()
        if record.exc_info is not None and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            trace = record.exc_info[2]
            while trace is not None and trace.tb_next is not None:
                trace = trace.tb_next
            if trace is not None:
                line["place"] = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        return json.dumps(line)


def log_as_json() -> None:
    """Write the logs of the service and of its server to the standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines())
    for name in (LOGGER.name, "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO if name == LOGGER.name else logging.WARNING)
