"""`league explain`: every number of the league in terms, clauses, settings, facts and events; and of two runs."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from commands import League, runner
from databases import copy_of
from leagues import REVISED, SIXTY_MATCHES, reading

from league.explanations.onward import first_divergence, side_by_side
from league.explanations.rating_changes import explain_change
from league.projections.queries.snapshot import snapshot_beside

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def season(embedded_server: str) -> Iterator[str]:
    """A database with the first 60 matches of the recorded season; no test writes events into it."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url:
        yield url


@pytest.fixture
def league(season: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> League:
    """Run a command in this process."""
    monkeypatch.setenv("LEAGUE_DATABASE_URL", season)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


def test_explain_tells_the_clause_and_the_events_behind(league: League) -> None:
    """Each term has its rule, its setting, what it rests on, and who recorded that when."""
    change = json.loads(league("export", "changes").out.splitlines()[0])
    said = league("explain", change["match"], change["id"], "--json").document
    k = next(term for term in said["terms"] if term["name"] == "k")
    assert k["settings"][0] == {"key": f"rating.k.{change['k_rule']}", "value": f"{change['k']:g}"}
    assert {event["actor"] for event in said["events"]} == {"test"}
    assert change["position"] in [event["position"] for event in said["events"]]
    assert "CDS text 2.1; rating.scale = 400" in league("explain", change["match"], change["id"]).out


@pytest.mark.heavy
def test_explain_has_a_form_for_every_number(league: League) -> None:
    """There are forms for hands, standings, badges and places. Other words are refused with the list of forms."""
    for what, which in (("hands", "hand"), ("standings", "standing"), ("badges", "badge"), ("boards", "place")):
        row = json.loads(league("export", what).out.splitlines()[0])
        words = {
            "hand": [row.get("match"), "--hand", row.get("hand")],
            "standing": ["standing", row.get("month"), row.get("id")],
            "badge": ["badge", row.get("id"), row.get("badge")],
            "place": ["place", row.get("board"), row.get("id")],
        }[which]
        said = league("explain", *words, "--json")
        assert (said.code, said.document["kind"]) == (0, which), said.err
        shown = league("explain", *words)
        assert said.document["statement"] in " ".join(shown.out.split())
        assert all(name in said.document["statement"] for name in said.document["people"].values())
        assert "Events (UTC)" in shown.out
    assert league("explain", "place", "none", "p").code == 2
    assert "MATCH --hand N" in league("explain", "a", "b", "c", "d").err


@pytest.mark.heavy
def test_explain_sets_two_runs_side_by_side(league: League) -> None:
    """The terms of both runs are printed, with those that differ and the setting that causes it."""
    run = league("replay", "--rules", REVISED, "--json").document["run"]
    changes = {(row["match"], row["id"]): row for row in _rows(league, "changes")}
    other = {(row["match"], row["id"]): row for row in _rows(league, "changes", "--run", run)}
    key = next(key for key, row in changes.items() if other[key]["k"] != row["k"])
    said = league("explain", *key, "--against", run, "--json").document
    (k,) = [term for term in said["terms"] if term["name"] == "k"]
    assert (k["before"]["value"], k["after"]["value"]) == (other[key]["k"], changes[key]["k"])
    assert k["differs"]
    said_to_people = league("explain", *key, "--against", run).out
    assert "Term by term" in said_to_people
    assert "first went apart by match" in said_to_people


@pytest.mark.heavy
def test_a_term_of_one_run_only_tells_the_setting_of_both(league: League, season: str) -> None:
    """If only one edition caps a change, its setting is named. A setting that both share is not given as the reason."""
    run = league("replay", "--rules", REVISED, "--json").document["run"]
    capped = [row for row in _rows(league, "changes") if row["capped"]]
    with reading(season) as official:
        row = capped[0]
        explain = partial(explain_change, match=row["match"], id_=row["id"])
        found = side_by_side(explain, snapshot_beside(official, run, drafts=True), official)
    [cap] = [term for term in found.terms if term.name == "cap"]
    assert (cap.before, cap.settings) == (None, (("rating.cap", "no", "1"),))


@pytest.mark.heavy
def test_the_shares_of_all_terms_are_the_difference(league: League, season: str) -> None:
    """The shares add up to the exact difference, for changes that differ between two runs."""
    run = league("replay", "--rules", REVISED, "--json").document["run"]
    with reading(season) as official:
        other = snapshot_beside(official, run, drafts=True)
        for row in _rows(league, "changes")[::3]:
            explain = partial(explain_change, match=row["match"], id_=row["id"])
            found = side_by_side(explain, other, official)
            assert found.total is not None
            assert found.total == math.fsum(term.share for term in found.terms if term.share is not None), row
            first = first_divergence(found, other, official)
            assert (first is None) is not any(term.differs for term in found.terms), row
            assert first is None or first.decided_at.isoformat() <= row["decided_at"], row


@pytest.mark.heavy
def test_a_badge_that_only_one_run_gives_is_held_against_what_the_other_reached(league: League) -> None:
    """The other run is explained with the same threshold and its progress, not refused for an unknown badge."""
    run = league("replay", "--rules", REVISED, "--json").document["run"]
    held = {(row["id"], row["badge"]) for row in _rows(league, "badges")}
    theirs = {(row["id"], row["badge"]) for row in _rows(league, "badges", "--run", run)}
    player, badge = next(iter(sorted(held ^ theirs)), next(iter(sorted(held))))
    said = league("explain", "badge", player, badge, "--against", run, "--json").document
    assert said["before"]
    assert said["after"]
    threshold = next(term for term in said["terms"] if term["name"] == "threshold")
    assert (threshold["differs"], threshold["settings"]) == (False, [])


@pytest.mark.heavy
def test_every_command_that_is_named_next_is_there(league: League) -> None:
    """Printed commands lead from a change to its ratings and hands, and name the run if one was asked for."""
    change = _rows(league, "changes")[-1]
    shown = league("explain", change["match"], change["id"]).out
    asked = [line.split("next: ")[1] for line in shown.splitlines() if "next: " in line]
    commands = {command for line in asked for command in line.removesuffix("; …").split("; ")}
    assert commands
    for command in commands:
        assert league(*shlex.split(command)[1:]).code == 0, command
    number = league("replay", "--rules", REVISED, "--json").document["run"]
    of_run = league("explain", change["match"], change["id"], "--run", number).out
    assert f"--run {number}" in of_run


@pytest.mark.heavy
def test_players_are_named_and_never_seats_alone(league: League) -> None:
    """A hand and a change say who was meant."""
    change = _rows(league, "changes")[0]
    shown = league("explain", change["match"], change["id"]).out
    assert f"rating of {_name_of(league, change['id'])}, own side" in shown
    hand = league("explain", change["match"], "--hand", 1).out
    assert _name_of(league, change["id"]) in hand
    assert re.findall(r"(?:seat|side) \d", shown + hand) == []


def test_words_that_name_nothing_are_refused_by_their_field(league: League) -> None:
    """An empty name, a series board without a month, and an unknown badge are refused; the refusal lists badges."""
    assert "player: is empty" in league("explain", "c-0001", "").err
    assert "standing MONTH PLAYER" in league("explain", "place", "series", "p001").err
    assert "streak-3" in league("explain", "badge", "p001", "none").err


def _name_of(league: League, player: str) -> str:
    names = {row["id"]: row["name"] for row in league("board", "--all", "--first", 999, "--json").document["places"]}
    return str(names[player])


def _rows(league: League, what: str, *more: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in league("export", what, *more).out.splitlines()]
