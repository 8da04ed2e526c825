"""Times on the command line are in the league's time zone, and what was printed can be typed again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from zoneinfo import ZoneInfo

import pytest
from leagues import announced, catch_up, league_at, send
from typer import BadParameter
from typer.testing import CliRunner

from league import cli
from league.application.bootstrap import League
from league.cli.terminal import moment
from league.domain.league import ChangeSettings
from league.domain.refusals import InvalidInput

HAVANA = ZoneInfo("America/Havana")
MINUTE = r"\d{4}-\d\d-\d\d \d\d:\d\d"


@pytest.fixture
def league(league_url: str) -> Iterator[League]:
    """A league in Havana, five hours behind UTC in winter; of its two matches one begins on 1 March at 04:30 UTC."""
    with league_at(league_url) as made:
        made.dispatcher.send(ChangeSettings(None, "America/Havana"), "test")
        send(made, announced("a1", ("ana", "bea"), -7.5), announced("a2", ("ana", "cira"), 3))
        catch_up(made)
        yield made


def run(league: League, *arguments: str) -> str:
    """What a command prints."""
    environment = {"LEAGUE_DATABASE_URL": league.database.url, "COLUMNS": "200"}
    said = CliRunner().invoke(cli.app, arguments, env=environment)
    if said.exception is not None:
        raise said.exception
    return " ".join(said.stdout.split())  # a title that is wider than its table is broken


def test_the_trail_is_printed_in_local_time_and_finds_what_it_printed(league: League) -> None:
    """A time taken from the table, without an offset, is the one that was meant."""
    printed = run(league, "trail", "--first", "1")
    [recorded] = re.findall(MINUTE, printed)
    last = league.store.read_after(league.store.head() - 1, 1)[0]
    here = last.recorded_at.astimezone(HAVANA)
    assert "Times are in the time zone America/Havana." in printed
    assert recorded == f"{here:%Y-%m-%d %H:%M}"
    typed = f"{here:%Y-%m-%dT%H:%M:%S.%f}"
    [found] = json.loads(run(league, "trail", "--from", typed, "--json"))["entries"]
    assert found["position"] == last.position


@pytest.mark.heavy
def test_a_day_alone_begins_where_the_league_is(league: League) -> None:
    """Days begin where months of the league do: a match at 23:30 in Havana was on the last day of February."""

    def ana_at(as_of: str) -> int:
        places = json.loads(run(league, "board", "1v1", "--all", "--as-of", as_of, "--json"))["places"]
        return sum(place["matches"] for place in places if place["id"] == "ana")

    assert [ana_at(day) for day in ("2026-03-01", "2026-03-02")] == [0, 2]
    assert [ana_at(time) for time in ("2026-03-01T00:31", "2026-03-01T05:31Z", "2026-03-01T00:29")] == [1, 1, 0]
    assert "as of Mar 1, 2026, 00:00" in run(league, "board", "1v1", "--all", "--as-of", "2026-03-01")


@pytest.mark.heavy
def test_replays_are_listed_in_local_time(league: League) -> None:
    """The list shows when replays were requested, and which matches they revise."""
    known = league.store.read_after(league.store.head() - 1, 1)[0].recorded_at
    here = known.astimezone(HAVANA)
    run(league, "replay", "--edition", "1", "--known-at", f"{here:%Y-%m-%dT%H:%M:%S.%f}", "--from", "2026-03-01")
    printed = run(league, "replays")
    assert f"2026-03-01 00:00 to -, as known at {here:%Y-%m-%d %H:%M}" in printed


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", "0001-01-01T00:00+05:00", ""])
def test_what_is_no_time_is_refused(text: str) -> None:
    """A time that does not exist in UTC is refused, too."""
    with pytest.raises(BadParameter, match="is not a time"):
        moment(text)


def test_a_day_that_begins_before_all_time_is_refused(league: League) -> None:
    """East of Greenwich the first day began in the year before."""
    league.dispatcher.send(ChangeSettings(None, "Asia/Tokyo"), "test")
    with pytest.raises(InvalidInput, match="out of range"):
        run(league, "trail", "--from", "0001-01-01")
