"""The page of a comparison is cached for visitors, and is made anew whenever something that it reads has changed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from api_server import Served, served
from databases import copy_of
from leagues import SIXTY_MATCHES, announced, official, revised, send
from waiting import wait_until

from league.api.graphql.executing import rate_limits
from league.application import candidates, replay_requests
from league.application.replay_folding import fold_replay
from league.application.replay_requests import ReplaySpec
from league.console.site import create_site
from league.domain.verdict import FittedRules, Verdict
from league.eventlog.records import AppendRequest
from league.infra.database import connect, engine
from league.projections.difference.two_runs import two_runs
from league.projections.difference.verdict import store_fitted, verdict
from league.projections.replays.replay import catch_up

ADMIN = AppendRequest("root", "manual")
POINTS = 100_000


@pytest.fixture(autouse=True)
def one_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the limits stands still, so that no minute ends."""
    monkeypatch.setattr(rate_limits.time, "time", lambda: 1_000_000_840.0)


@pytest.fixture
def site(embedded_server: str) -> Iterator[Served]:
    """Sixty matches of the recorded season."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url, create=create_site, rate_limit=POINTS) as server:
        wait_until(lambda: 'data-changes="/changes?since=' in server.http.get("/").text)
        yield server


def candidate(site: Served, k: int) -> int:
    """The number of a candidate that is shown to everybody."""
    number = replay_requests.start(site.league, ReplaySpec(revised(f"rating.k.standard = {k}")), ADMIN).number
    fold_replay(site.league.database.url, number)
    candidates.show(site.league, number, "to discuss it", ADMIN)
    return number


def is_cached(site: Served, path: str) -> bool:
    """Whether a page that is asked for twice is computed once at most: the second answer costs a visitor one point."""
    site.http.get(path, headers={"X-Forwarded-For": "192.0.2.1"})
    before = left(site)
    site.http.get(path, headers={"X-Forwarded-For": "192.0.2.2"})
    return before - left(site) == 2


def left(site: Served) -> int:
    """The points that the second visitor still has; asking takes one."""
    answer = site.http.post("/graphql", json={"query": "{__typename}"}, headers={"X-Forwarded-For": "192.0.2.2"})
    return int(answer.headers["RateLimit"].partition("r=")[2].partition(";")[0])


def text(site: Served, path: str) -> str:
    """The page as a visitor gets it who is not signed in."""
    answer = site.http.get(path)
    assert answer.status_code == 200
    return str(answer.text)


def held_out(url: str, number: int) -> Verdict:
    """Any verdict: that of a run against the official one."""
    pool = engine(url, pool_size=1)
    with pool.connect() as conn:
        found = verdict(conn, two_runs(conn, official(url), number))
    pool.dispose()
    assert found is not None
    return found


@pytest.mark.heavy
def test_a_comparison_is_made_anew_after_each_change_of_what_it_reads(site: Served) -> None:
    """It is cached otherwise, as its lists are. What changes: matches, the replay's own rows, other replays, fits."""
    url = site.league.database.url
    number, other = candidate(site, 30), candidate(site, 40)
    path = f"/admin/replays/{number}"
    both = f"{path}?against={other}"
    wait_until(lambda: f'value="{other}"' in text(site, path))
    for one in (path, f"{path}/moves", both):
        wait_until(lambda one=one: is_cached(site, one))  # type: ignore[misc]

    send(site.league, announced("late", ("p001", "p002"), 24 * 90))
    wait_until(lambda: '<p class="notice">' in text(site, path))  # it does not have the match
    wait_until(lambda: is_cached(site, path))
    catch_up(url, number)
    wait_until(lambda: '<p class="notice">' not in text(site, path))

    with connect(url) as conn:
        store_fitted(conn, revised("rating.k.standard = 30"), FittedRules("2026-01", "2026-12", held_out(url, number)))
    wait_until(lambda: "league tune" in text(site, path))

    third = candidate(site, 36)
    wait_until(lambda: f'value="{third}"' in text(site, path))
    candidates.withdraw(site.league, third, "enough", ADMIN)
    wait_until(lambda: f'value="{third}"' not in text(site, path))
    wait_until(lambda: is_cached(site, both))
    candidates.withdraw(site.league, other, "enough", ADMIN)
    wait_until(lambda: site.http.get(both).status_code == 404)
    candidates.withdraw(site.league, number, "enough", ADMIN)
    wait_until(lambda: site.http.get(path).status_code == 404)
