"""The tournament of tonight on the first page of those who keep score."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

from api_server import Served, token
from desk import cookie_of

from league.tournaments.console.keepers_home import RECENTLY, of_tonight

KEEPER = token("scorekeeper")


def home(site: Served, role: str = "scorekeeper") -> str:
    site.follow(str(site.league.store.head()))
    cookie = {"Cookie": f"league={cookie_of(site, 'kim', role)}; language=en"}
    return unescape(site.http.get("/", headers=cookie).text)


def test_the_tournament_of_tonight_comes_first(small_site: Served) -> None:
    """Who takes part, then the round with the tables that are over; others see the list of tournaments only."""
    site = small_site
    plan = {"name": "Copa de hoy", "format": "SWISS", "mode": "ONE_ON_ONE", "ruleset": "cuban-150", "rounds": 2}
    made = site.do("planTournament", KEEPER, "... on TournamentSuccess { tournament { tournamentId } }", plan=plan)
    tournament = made["tournament"]["tournamentId"]
    for player in ("ana", "bea", "cira", "dora"):
        assert "code" not in site.do(
            "enterTournament", KEEPER, tournament=tournament, competitors=[{"players": [player]}]
        )
    assert "4 take part" in home(site)
    assert "code" not in site.do("drawRound", KEEPER, tournament=tournament)
    assert "code" not in site.do("publishRound", KEEPER, tournament=tournament, round=1)
    page = home(site)
    assert page.index("0 of 2 tables are over") < page.index("Tonight")
    assert f'href="/tournaments/{tournament}/rounds/1"' in page
    assert "tables are over" not in home(site, "player")


def one(published: datetime | None, planned: datetime, day: str | None = None) -> dict[str, Any]:
    round_ = published and {
        "day": day,
        "publishedAt": published.isoformat(),
        "tables": {"totalCount": 3, "nodes": [{"status": status} for status in ("OPEN", "PENDING", "VOIDED")]},
    }
    nodes = [{"plannedAt": planned.isoformat(), "publishedRound": round_}]
    return {"league": {"timeZone": "UTC"}, "tournaments": {"nodes": nodes}}


def test_a_tournament_is_of_tonight_for_a_while() -> None:
    """Since its round was published or it was planned; fixtures on their day. A pending table is over."""
    now = datetime.now(UTC)
    recent, old = now - RECENTLY / 2, now - 2 * RECENTLY

    def found(*given: Any) -> Any:
        return of_tonight(one(*given))["found"]

    assert [(it["over"], it["tables"]) for it in found(recent, old)] == [(1, 3)]
    assert found(old, recent) == []
    assert found(None, old) == []
    assert [(it["over"], it["tables"]) for it in found(None, recent)] == [(None, None)]
    assert len(found(old, old, now.date().isoformat())) == 1
    assert found(old, old, (now - timedelta(days=3)).date().isoformat()) == []
