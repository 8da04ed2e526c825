"""Which questions are short: the API asks them on its event loop, where others wait for their Python code."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def short(ask: F) -> F:
    """Declare that a question takes few milliseconds of Python, at the most of what it may be asked for.

    How long PostgreSQL takes does not matter. A question without the declaration is asked in a thread.
    """
    ask.is_short = True  # type: ignore[attr-defined]  # functions have no such attribute by themselves
    return ask


def is_short(ask: Callable[..., Any]) -> bool:
    """Whether a question is declared so."""
    return getattr(ask, "is_short", False)
