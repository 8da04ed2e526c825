"""Finds sentences that reach people unspoken: a plugin for pytest, and `marked` for single tests.

With it each sentence that nobody has spoken begins with a mark, which its spoken text lacks. The plugin fails every
test in which a response or a line of a command has the mark. It marks refusals in logs and tests too, so it is for
tests of pages, answers and commands:

    PYTHONPATH=tests pytest -p unspoken tests/console
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.responses import Response

from league.domain.sentences import Sentence

MARK = "\N{INVISIBLE SEPARATOR}"
leaks: list[str] = []


def _marked(cls: type[Sentence], text: str = "") -> Sentence:
    return str.__new__(cls, MARK + text)


@contextmanager
def marked() -> Iterator[None]:
    """Inside this context the sentences that are made begin with the mark."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sentence, "__new__", _marked)
        yield


def pytest_configure() -> None:
    """Mark the sentences of the whole run: this is before the tests import the program."""
    patch = pytest.MonkeyPatch()
    patch.setattr(Sentence, "__new__", _marked)
    from league.cli import terminal  # noqa: PLC0415  # only now, so that its sentences are marked

    render = Response.render

    def rendered(self: Response, content: Any) -> Any:
        body = render(self, content)
        note(bytes(body).decode(errors="replace"))
        return body

    patch.setattr(Response, "render", rendered)
    render_console = terminal.SafeConsole.render

    def console(self: Any, renderable: Any, options: Any = None) -> Any:
        for segment in render_console(self, renderable, options):
            note(segment.text)
            yield segment

    patch.setattr(terminal.SafeConsole, "render", console)
    in_json = terminal.escaped_in_json

    def json(text: str) -> str:
        note(text)
        return in_json(text)

    patch.setattr(terminal, "escaped_in_json", json)


def note(text: str) -> None:
    """Note what has the mark, and what is around it."""
    at = text.find(MARK)
    at = at if at >= 0 else text.find("\\u2063")
    while at >= 0:
        leaks.append(text[max(0, at - 60) : at + 100])
        at = text.find(MARK, at + 1)


@pytest.fixture(autouse=True)
def nothing_unspoken() -> Iterator[None]:
    """Fail the test if a sentence reached people unspoken."""
    leaks.clear()
    yield
    assert leaks == []
