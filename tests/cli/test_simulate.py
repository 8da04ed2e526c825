"""`league simulate`: levels compared, and matches of AI players in a league of their own."""

from __future__ import annotations

import pytest
from commands import League
from leagues import league_at, send

from league.domain.player import RegisterPlayer

pytestmark = pytest.mark.heavy

COMPARED = ("simulate", "--ruleset", "cuban-150", "--mode", "2v2", "--mirrored", "--seed", 7, "--no-store")


@pytest.fixture(autouse=True)
def settings_of_its_own(own_environment: None) -> None:
    """No test of this file reads the settings of the machine."""


def test_levels_are_compared_in_one_object(league: League) -> None:
    """Lists are in the order of --levels, and the number of processes changes nothing."""
    asked = (*COMPARED, "--levels", "heuristic,random", "--hands", 60, "--json")
    said = league(*asked, "--processes", 1)
    found = said.document
    assert (said.code, list(found)) == (0, ["hands", "won", "points", "interval"])
    assert found["hands"] == sum(found["won"]) == 60
    low, high = found["interval"]
    assert low < found["won"][0] / 60 < high
    assert found["points"][0] > found["points"][1]
    assert league(*asked, "--processes", 2).document == found
    assert league(*asked, "--processes", 1, "--seed", 8).document != found


def test_a_comparison_is_printed_for_people(league: League) -> None:
    """The command prints a table, and the interval in words."""
    said = league(*COMPARED, "--levels", "heuristic,heuristic", "--hands", 4, "--processes", 1)
    assert said.code == 0
    assert "heuristic wins 50.0% to 50.0% of the hands that a side wins" in said.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--ruleset", "cuban-15"), "there is no ruleset 'cuban-15'; there are "),
        (("--mode", "individuals"), "cuban-150 is played as 1v1, 2v2; individuals is a mode of caribbean-500-bonus"),
        (("--levels", "inference,hard"), "there is no level 'hard'; there are random, heuristic, inference"),
        (("--levels", "random"), "2v2 has 2 sides, each with a level, not 1"),
        (("--hands", 7), "name a multiple of that"),
    ],
)
def test_bad_arguments_are_refused(league: League, arguments: tuple[object, ...], message: str) -> None:
    """The refusal names the argument and its possible values, in JSON too."""
    said = league(*COMPARED, *arguments)
    assert said.code == 2
    assert message in said.err
    as_json = league(*COMPARED, *arguments, "--json")
    assert (as_json.code, message in as_json.document["refused"]["message"]) == (2, True)


def test_a_bad_level_names_its_option(league: League) -> None:
    """The refusal names the option as it is typed: `--levels`."""
    said = league(*COMPARED, "--levels", "random,hard", "--json")
    assert said.document["refused"]["faults"][0]["field"] == "levels"


def test_mirrored_is_for_comparing(league: League) -> None:
    """A match is not played twice."""
    said = league("simulate", "--mirrored")
    assert (said.code, "--no-store" in said.err) == (2, True)


@pytest.mark.slow
def test_matches_fill_a_league(league: League, database_url: str) -> None:
    """AI players are registered once, a later run goes on with other deals, and boards and transcripts are there."""
    league("init", "--name", "Liga", "--time-zone", "UTC")
    asked = ("simulate", "--levels", "heuristic,random", "--ruleset", "dominican-200", "--hands", 20, "--processes", 1)
    first = league(*asked, "--json")
    assert first.code == 0
    assert first.document["hands"] >= 20
    again = league(*asked)
    assert (again.code, "Played and stored" in again.out) == (0, True)
    places = league("board", "global", "--all", "--json").document["places"]
    assert len(places) > 8
    assert "ai-heuristic-1" in {place["id"] for place in places}
    assert league("verify").code == 0
    with league_at(database_url) as made:
        streams = [event.stream for event in made.store.streams_until("match:", made.store.head())]
        matches = first.document["matches"]
        assert sorted(set(streams))[:2] == ["match:ai-000000", "match:ai-000001"]
        assert len(set(streams)) > matches
        names = {event.name for event in made.store.streams_until("match:", made.store.head())}
        assert "hand-transcribed/1" in names


@pytest.mark.slow
def test_ai_players_do_not_play_among_people(league: League, database_url: str) -> None:
    """A league where a person is registered is left as it is."""
    league("init", "--name", "Liga", "--time-zone", "UTC")
    with league_at(database_url) as made:
        before = send(made, RegisterPlayer("gabi", "Gabi"))
    said = league("simulate", "--levels", "heuristic,random", "--hands", 1, "--processes", 1)
    assert (said.code, "people" in said.err) == (2, True)
    with league_at(database_url) as made:
        assert made.store.head() == before
