"""Logs on standard error, one line per event: JSON, or a short line for people where that is a terminal."""

import logging
import os
import sys
import threading
from collections.abc import Callable
from datetime import datetime
from types import TracebackType
from typing import TextIO

import msgspec
import structlog
from structlog.tracebacks import ExceptionDictTransformer

UNSAID_AT_A_TERMINAL = frozenset({"event", "exception", "level", "process", "request_id", "timestamp"})
"""Parts of an event that a line for people leaves out, or shows without their names."""
QUIET = ("debug", "info")
"""Levels that a line for people does not name."""

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def configure_logs(level: str) -> None:
    """Log from this level on, for the whole process: what the program says, and what libraries say.

    Lines are JSON, unless standard error is a terminal now.
    """
    rendered = _for_people() if sys.stderr.isatty() else _as_json()
    common: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _add_process,
    ]
    structlog.configure(
        processors=[*common, *rendered],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        # Whole lines: several processes write to one standard error.
        logger_factory=lambda *_: structlog.WriteLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = StandardErrorHandler()
    remove = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(foreign_pre_chain=[*common, _name], processors=[remove, *rendered])
    )
    root = logging.getLogger()
    root.handlers = [handler, *(other for other in root.handlers if not isinstance(other, StandardErrorHandler))]
    root.setLevel(max(LEVELS[level], logging.WARNING))


def log_what_nothing_catches() -> None:
    """In a process of its own: log warnings, and errors that end a thread or the process, instead of printing them."""
    logging.captureWarnings(capture=True)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_of_thread


class StandardErrorHandler(logging.StreamHandler[TextIO]):
    """Writes to the present `sys.stderr`, which may be replaced."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]  # an attribute there
        """Standard error."""
        return sys.stderr


def _as_json() -> list[structlog.typing.Processor]:
    """Processors that make JSON. Exceptions lack the values of variables, which would include tokens and names."""
    return [
        structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
        structlog.processors.JSONRenderer(_json),
    ]


def _for_people() -> list[structlog.typing.Processor]:
    """Processors that make a short line, with the trace of an exception below it."""
    return [_without_operations, structlog.processors.format_exc_info, _line_for_people]


def _without_operations(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Drop the line of a GraphQL operation: people read one line for a request, the one that comes at its end."""
    if event["event"] == "operation":
        raise structlog.DropEvent
    return event


def _line_for_people(_: object, __: str, event: structlog.typing.EventDict) -> str:
    """The local time and what happened, such as `20:31:04 GET /graphql 200 12 ms`. Warnings and errors are named."""
    at = datetime.fromisoformat(event["timestamp"]).astimezone()
    if event["event"] == "request":
        said = "{method} {path} {status} {milliseconds:.0f} ms".format(**event)
    else:
        level = "" if event["level"] in QUIET else f"{event['level']}: "
        values = (f" {name}={value}" for name, value in event.items() if name not in UNSAID_AT_A_TERMINAL)
        said = f"{level}{event['event']}{''.join(values)}"
    trace = event.get("exception", "").splitlines()
    return "\n".join([f"{at:%H:%M:%S} {_printable(said)}", *map(_printable, trace)])


def _printable(line: str) -> str:
    """A line without control characters. With them a path or a message could forge lines, or command the terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line)


def _json(event: object, default: Callable[[object], object]) -> str:
    """A line; `default` is for values that JSON does not have. msgspec takes a third of the time of json."""
    return msgspec.json.encode(event, enc_hook=default).decode()


def _add_process(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Which process says so. structlog's own way looks through the stack for it."""
    event["process"] = os.getpid()
    return event


def _name(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Which library says so."""
    return {**event, "logger": event["_record"].name}


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        structlog.get_logger().error("process_failed", exc_info=(kind, error, trace))


def _log_of_thread(found: threading.ExceptHookArgs) -> None:
    if found.exc_value is not None and found.exc_type is not SystemExit:
        name = None if found.thread is None else found.thread.name
        structlog.get_logger().error(
            "thread_failed", thread=name, exc_info=(found.exc_type, found.exc_value, found.exc_traceback)
        )
