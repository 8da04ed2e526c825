"""Logs in JSON, one line per event, on standard error."""

import logging
import os
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

import msgspec
import structlog
from structlog.tracebacks import ExceptionDictTransformer

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def configure_logs(level: str) -> None:
    """Log from this level on, for the whole process: what the program says, and what libraries say."""
    # Without the values of variables, which would include tokens and names.
    as_json: list[structlog.typing.Processor] = [
        structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
        structlog.processors.JSONRenderer(_json),
    ]
    common: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _add_process,
    ]
    structlog.configure(
        processors=[*common, *as_json],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        # Whole lines: several processes write to one standard error.
        logger_factory=lambda *_: structlog.WriteLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = StandardError()
    remove = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(foreign_pre_chain=[*common, _name], processors=[remove, *as_json])
    )
    root = logging.getLogger()
    root.handlers = [handler, *(other for other in root.handlers if not isinstance(other, StandardError))]
    root.setLevel(max(LEVELS[level], logging.WARNING))


def log_what_nothing_catches() -> None:
    """In a process of its own: log warnings, and errors that end a thread or the process, instead of printing them."""
    logging.captureWarnings(capture=True)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_of_thread


class StandardError(logging.StreamHandler[TextIO]):
    """Writes to what standard error is at the moment."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]  # an attribute there
        """Standard error."""
        return sys.stderr


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
