"""What no browser sends is refused, and breaks no page."""

import pytest
from starlette.requests import Request

from league.console.addresses import day_of
from league.console.asking import NoPage
from league.console.posts import is_from_our_pages


def _request(query: bytes = b"", *headers: tuple[bytes, bytes]) -> Request:
    scope = {"type": "http", "scheme": "http", "server": ("league", 80), "path": "/", "query_string": query}
    return Request({**scope, "headers": list(headers)})


def test_a_referer_that_is_no_address_is_not_ours() -> None:
    """A post with a broken Referer and no Origin counts as another site's."""
    assert not is_from_our_pages(_request(b"", (b"referer", b"http://[")), None)


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01"])
def test_a_day_at_the_end_of_the_calendar_is_refused(day: str) -> None:
    """Days that have no moment in every time zone are no days of a league."""
    with pytest.raises(NoPage) as refused:
        day_of(_request(f"day={day}".encode()), "day")
    assert refused.value.status == 400
