"""`league init`, `migrate`, `settings`, `rules`: the setup of a league."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from commands import League, head
from leagues import REVISED, announced, found, league_at, send
from terminals import type_in

from league.domain.league import CloseMonth

pytestmark = pytest.mark.usefixtures("own_environment")


def test_init_creates_the_league_once(league: League, database_url: str) -> None:
    """`init` names the league and adopts edition 1; a second one is refused."""
    said = league("init", "--name", "Liga", "--time-zone", "America/Havana")
    assert said.code == 0
    assert "Liga" in said.out
    with league_at(database_url) as made:
        assert str(made.time_zone()) == "America/Havana"
    again = league("init", "--name", "Another", "--time-zone", "UTC")
    assert (again.code, again.out) == (2, "")
    assert "ALREADY_EXISTS" in again.err


def test_init_asks_at_a_terminal_and_guesses_nothing_in_a_script(
    league: League, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    """The machine's zone is suggested, a wrong one asked again; the end of input stores nothing."""
    refused = league("init", "--name", "Liga")
    assert refused.code == 2
    assert "time_zone: is not given: name it with --time-zone" in refused.err
    monkeypatch.setenv("TZ", "America/Santo_Domingo")
    type_in(monkeypatch, "Club", "Cuba/Nowhere")
    stopped = league("init")
    assert (stopped.code, head(database_url)) == (1, 0)
    assert "'Cuba/Nowhere' is not a time zone" in stopped.err
    assert "Stopped. Nothing is stored." in stopped.err
    type_in(monkeypatch, "Club Malecón", "")
    assert "'Club Malecón' in the time zone America/Santo_Domingo" in league("init").out


def test_init_refuses_a_time_zone_that_is_none(league: League, database_url: str) -> None:
    """An unknown time zone is refused by name, and no league is created."""
    said = league("init", "--name", "Liga", "--time-zone", "Cuba/Nowhere")
    assert said.code == 2
    assert "time_zone: 'Cuba/Nowhere' is not a time zone" in said.err
    assert head(database_url) == 0


def test_migrate_may_be_run_again(league: League) -> None:
    """`migrate` brings the database up, and finds nothing to do the next time."""
    assert league("migrate").code == 0
    said = league("migrate")
    assert (said.code, said.out) == (0, "The database is up to date.\n")


@pytest.mark.parametrize("command", [("export", "hands"), ("explain", "m1", "ana")])
def test_reading_before_there_is_a_league_is_refused(league: League, command: tuple[str, ...]) -> None:
    """Only `init` and `import` create the league."""
    said = league(*command)
    assert (said.code, said.out) == (2, "")
    assert "there is no league in the database" in said.err


@pytest.mark.heavy
def test_settings_are_shown_and_changed(league: League) -> None:
    """Only the given settings change. An unknown time zone is refused."""
    league("init", "--name", "Liga", "--time-zone", "UTC")
    league("settings", "--time-zone", "America/Havana")
    said = league("settings")
    assert (said.code, "Liga" in said.out, "America/Havana" in said.out) == (0, True, True)
    assert league("settings", "--time-zone", "Mars/Olympus").code == 2


@pytest.mark.heavy
def test_a_time_zone_that_moves_matches_is_previewed_and_asked_for(
    league: League, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is stored before somebody agrees; a zone that moves nothing is not asked about."""
    with league_at(database_url) as made:
        found(made)
        send(made, announced("late", ("ana", "bea"), -9), CloseMonth("2026-02"))
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    said = league("settings", "--time-zone", "UTC")
    assert "1 match would count in another month." in said.out
    assert "Closed months among them: 2026-02." in said.out
    assert "Nothing is stored" in said.err
    seen = league("settings", "--time-zone", "UTC", "--preview", "--json").document
    assert (seen["matches"], seen["closed_months"]) == (1, ["2026-02"])
    assert league("settings", "--json").document["time_zone"] == "America/Havana"
    assert league("settings", "--time-zone", "America/Panama").code == 0
    assert league("settings", "--time-zone", "UTC", "--yes", "--json").document["time_zone"] == "UTC"
    assert league("settings", "--preview").code == 2


def test_rules_show_prints_the_edition_in_force(league: League) -> None:
    """`rules show` prints an edition in words, or whole as JSON."""
    said = league("rules", "show", "--json").document
    assert (said["edition"], said["document"]["rating"]["start"]) == (1, 1500)
    assert "cuban-150" in league("rules", "show").out
    assert league("rules", "show", "--edition", 9).code == 2


def test_rules_check_tells_what_a_candidate_changes(league: League, tmp_path: Path) -> None:
    """`rules check` lists the settings that differ, and refuses a candidate that cannot be."""
    said = league("rules", "check", REVISED, "--json").document
    assert {"setting": "rating.k.provisional", "before": 40, "after": 32} in said["changes"]
    bad = tmp_path / "bad.toml"
    bad.write_text("rating.k.provisional = true", encoding="utf-8")
    refused = league("rules", "check", bad, "--json")
    assert refused.code == 2
    assert refused.document["refused"]["faults"][0]["field"] == "rating.k.provisional"


def test_rules_check_says_what_a_bonus_is_given_for(league: League, tmp_path: Path) -> None:
    """Each bonus has its key, its points and its reason; every other setting of a ruleset has its meaning."""
    rules = tmp_path / "rules.toml"
    rules.write_text("[rulesets.cuban-150]\ntarget = 120\nbonuses = { chuchazo = 30 }", encoding="utf-8")
    lines = league("rules", "check", rules).out.splitlines()
    [bonus] = [line for line in lines if "rulesets.cuban-150.bonuses.chuchazo" in line]
    assert bonus.rstrip().endswith("going out with the double blank")
    [target] = [line for line in lines if "rulesets.cuban-150.target" in line]
    assert target.split() == ["rulesets.cuban-150.target", "150", "120", "ends", "at"]


def test_rules_check_names_every_fault(league: League, tmp_path: Path) -> None:
    """Each fault has a line with its key, in plain words."""
    bad = tmp_path / "bad.toml"
    bad.write_text(
        "colour = 1\n[rating]\ncap = { below = -1, above = true }\n[series]\nlimit = 0\ncompetitions = ['friendly']\n",
        encoding="utf-8",
    )
    said = league("rules", "check", bad)
    assert (said.code, said.out) == (2, "")
    assert said.err.splitlines()[1:] == [
        "  rating.cap.above: must be a number, not true",
        "  series.limit: must be a whole number from 1 to 1000, not 0",
        "  series.competitions[0]: must be one of casual, competitive, special, not the text 'friendly'",
        "  colour: is not a setting",
        "  rating.cap.below: must be a number from 0: how far M may lie on this side of 0",
    ]


def test_rules_tell_of_the_settings_that_edition_1_does_not_have(league: League, tmp_path: Path) -> None:
    """`rules show` prints those that have a default; `rules check` says what a candidate makes of them."""
    text = league("rules", "show").out
    assert "matches that count: competitive; special tournament" in text
    document = league("rules", "show", "--json").document["document"]
    assert document["series"]["competitions"] == ["competitive", "special"]
    candidate = tmp_path / "candidate.toml"
    candidate.write_text(
        "[rating]\ncap = { below = 0.5, above = 0.75 }\nk = { provisional_below = 20 }\n"
        "[series]\ncompetitions = ['special', 'casual']\n",
        encoding="utf-8",
    )
    assert league("rules", "check", candidate, "--json").document["changes"] == [
        {"setting": "rating.cap", "before": 1, "after": None},
        {"setting": "rating.cap.above", "before": None, "after": 0.75},
        {"setting": "rating.cap.below", "before": None, "after": 0.5},
        {"setting": "rating.k.provisional_below", "before": None, "after": 20},
        {"setting": "series.competitions", "before": ["competitive", "special"], "after": ["casual", "special"]},
    ]
    said = league("rules", "check", candidate).out
    assert "rated matches in the mode below which K is provisional" in " ".join(said.split())
    candidate.write_text("rating.k.provisional_below = 30", encoding="utf-8")
    assert "is equal to edition 1" in league("rules", "check", candidate).out


def test_what_finds_no_league_leaves_no_folder(league: League, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a league the shipped rules are shown. For an unknown edition the known ones are listed."""
    monkeypatch.delenv("LEAGUE_DATABASE_URL")
    said = league("board", "1v1")
    assert (said.code, f"there is no league in the folder {tmp_path / 'league-data'}" in said.err) == (2, True)
    assert league("rules", "show").code == 0
    assert not (tmp_path / "league-data").exists()
