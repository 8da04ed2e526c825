"""The present, as pages have it. A page that depends on it is not kept: it would be another one a moment later."""

from contextvars import ContextVar
from datetime import UTC, datetime

_is_asked: ContextVar[bool] = ContextVar("present_is_asked", default=False)


def present() -> datetime:
    """The moment at which a page is made."""
    _is_asked.set(True)
    return datetime.now(UTC)


def begin_page() -> None:
    """Nothing has asked for the present yet."""
    _is_asked.set(False)


def depends_on_the_present() -> bool:
    """Whether something has asked for the present since the page was begun."""
    return _is_asked.get()
