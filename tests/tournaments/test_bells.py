"""Matches of timed rounds may end below the target."""

from __future__ import annotations

from leagues import catch_up, reading
from played_tournaments import planned, published, register
from signed_leagues import unsigned_league

from league.tournaments.tournament_queries import has_bell


def test_matches_of_rounds_with_a_time_are_known(embedded_server: str) -> None:
    """Matches have a bell if the plan of their tournament has minutes, and otherwise none."""
    with unsigned_league(embedded_server) as league:
        register(league, 8)
        entries = [("p01", "p02"), ("p03", "p04"), ("p05", "p06"), ("p07", "p08")]
        planned(league, entries, format="swiss", minutes=30)
        timed = published(league)
        planned(league, entries, "other", format="swiss")
        untimed = published(league, "other")
        catch_up(league)
        with reading(league.database.url) as snapshot:
            ids = [[table.match for table in of.tables if table.match] for of in (timed, untimed)]
            found = has_bell(snapshot, [*ids[0], *ids[1], "unknown"])
        assert [[found.get(match) for match in of] for of in ids] == [[True] * len(ids[0]), [False] * len(ids[1])]
        assert ids[0]
        assert "unknown" not in found
