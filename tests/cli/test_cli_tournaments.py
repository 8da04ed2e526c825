"""`league tournament`: its plan is changed in parts, competitors are named as people call them, and what is shown."""

from __future__ import annotations

from typing import Any

import pytest
from commands import League, Said
from leagues import league_at, send

from league.domain.match import RecordResult, ReopenMatch
from league.domain.player import RegisterPlayer
from league.domain.result import Announced

NAMES = ("Ana", "Bea", "Cira", "Dora", "Eva", "Inés")


@pytest.fixture
def copa(league: League, database_url: str, own_environment: None) -> League:  # noqa: ARG001  # used by its effect
    """A league of six players, and the command `league tournament`."""
    league("init", "--name", "Liga", "--time-zone", "America/Havana")
    with league_at(database_url) as made:
        send(made, *(RegisterPlayer(f"j{number}", name, None) for number, name in enumerate(NAMES)))

    def run(*arguments: object) -> Said:
        said = league("tournament", *arguments)
        assert said.code == 0, said.err
        return said

    return run


def plan(copa: League, *more: object, of: str = "rotating_partners") -> None:
    copa("plan", "copa", "--name", "Copa", "--format", of, "--ruleset", "cuban-150", *more)


def shown(copa: League) -> Any:
    return copa("show", "copa", "--json").document


def test_a_change_of_the_plan_keeps_what_it_does_not_name(copa: League, tmp_path: Any) -> None:
    """Before the first round and after it; the rest of the plan stays as it was stored."""
    file = tmp_path / "plan.toml"
    file.write_text('tie_breaks = ["difference"]\ncheck_in = false\nminutes = 25\n', encoding="utf-8")
    plan(copa, "--rounds", 4, "--file", file)
    copa("plan", "copa", "--change", "--name", "Copa larga")
    kept = {"name": "Copa larga", "rounds": 4, "minutes": 25, "tie_breaks": ["difference"]}
    assert shown(copa)["plan"].items() >= kept.items()
    copa("enter", "copa", *NAMES)
    copa("draw", "copa")
    copa("publish", "copa", 1)
    copa("plan", "copa", "--change", "--rounds", 6)
    assert shown(copa)["plan"].items() >= {**kept, "rounds": 6}.items()


def test_competitors_are_named_as_people_call_them(copa: League) -> None:
    """When they check in, meet as fixtures on a day, and are paired by hand."""
    plan(copa, "--mode", "1v1", of="fixtures")
    copa("enter", "copa", "Ana", "Bea", "Cira", "Dora")
    copa("check-in", "copa", "ana", "Bea")
    copa("check-in", "copa", "--all")
    copa("withdraw", "copa", "Cira", "--reason", "had to leave")
    entered = copa("entries", "copa", "--json").document
    assert [one["checked_in"] for one in entered] == [True, True, True, True]
    said = copa("entries", "copa").out
    assert [line.split()[2:] for line in said.splitlines()[2:6]] == [
        ["checked", "in"], ["checked", "in"], ["withdrew"], ["checked", "in"],
    ]  # fmt: skip
    copa("return", "copa", "Cira")
    drawn = copa("draw", "copa", "--meeting", "Ana:Cira", "--meeting", "bea:Dora", "--day", "2026-12-01")
    assert "on Dec 1, 2026" in drawn.out
    again = copa("draw", "copa", "--meeting", "Ana:Cira", "--meeting", "bea:Dora", "--until", "2026-12-05",
                 "--again", "no hall on that day")  # fmt: skip
    assert "until Dec 5, 2026" in again.out
    of = shown(copa)["rounds"][0]
    assert {frozenset(side[0] for side in table["sides"]) for table in of["tables"]} == {
        frozenset({"j0", "j2"}), frozenset({"j1", "j3"}),
    }  # fmt: skip
    assert (of["day"], of["until"]) == (None, "2026-12-05")
    copa("publish", "copa", 1)
    copa("pair", "copa", 1, "1=Ana/Bea", "2=Cira/Dora", "--reason", "a quarrel")
    assert shown(copa)["rounds"][0]["tables"][0]["sides"] == [["j0"], ["j1"]]
    assert "by hand" in copa("why", "copa", 1).out


def test_a_standing_under_another_order_says_nothing_of_what_is_possible(copa: League) -> None:
    """The bounds are those of the plan's order. Whoever has withdrawn is marked, and byes are counted."""
    plan(copa, "--rounds", 2)
    copa("enter", "copa", *NAMES)
    copa("draw", "copa")
    copa("publish", "copa", 1)
    copa("withdraw", "copa", "Ana")
    planned, other = copa("standing", "copa").out, copa("standing", "copa", "--tie-break", "fewest_byes").out
    assert "still possible" in planned
    assert "still possible" not in other
    assert "Ana (withdrew)" in planned
    assert sorted(row.split()[-1] for row in other.splitlines()[2:8]) == ["0", "0", "0", "0", "1", "1"]
    asked = copa("standing", "copa", "--tie-break", "fewest_byes", "--json").document
    assert {(one["best_rank"], one["worst_rank"]) for one in asked} == {(None, None)}
    order = ("--tie-break", "buchholz", "--tie-break", "difference", "--tie-break", "points_for")
    assert copa("standing", "copa", *order).out == planned


def test_a_correction_after_the_drawing_is_said(copa: League, league: League, database_url: str) -> None:
    """Where the round is shown and where it is published, with the tables that would come out today."""
    plan(copa, "--mode", "1v1", "--rounds", 3, of="swiss")
    copa("enter", "copa", "Ana", "Bea", "Cira", "Dora")
    assert "Preview" in copa("preview", "copa").out
    copa("draw", "copa")
    first = copa("publish", "copa", 1, "--json").document["rounds"][0]["tables"]
    with league_at(database_url) as made:
        send(made, *(RecordResult(table["match"], Announced(0, (150, 40))) for table in first))
    copa("draw", "copa")
    assert "corrected" not in copa("show", "copa").out
    assert "same tables" in copa("would-change", "copa", 2).out
    turned = first[0]["match"]
    with league_at(database_url) as made:
        send(made, ReopenMatch(turned, "turned"), RecordResult(turned, Announced(1, (40, 150))))
    assert "What this round was drawn on has changed since" in copa("show", "copa").out
    assert "was drawn: draw it again" in league("tournament", "publish", "copa", 2).err
    published = copa("publish", "copa", 2, "--even-if-outdated")
    assert "league tournament would-change copa 2" in published.out
    assert len(copa("would-change", "copa", 2, "--json").document) == 2
    why = copa("why", "copa", 2).out
    assert "Table 1" in why
    assert "who have won as often" in why


def test_what_is_unknown_is_refused_in_spanish(copa: League, league: League, tmp_path: Any) -> None:
    """Without a word of English."""
    plan(copa, "--rounds", 2)
    copa("enter", "copa", *NAMES)

    def refused(*arguments: object) -> str:
        said = league("--language", "es", "tournament", *arguments)
        assert said.code == 2
        return said.err

    assert "competidor 'j0' ya existe" in refused("enter", "copa", "Ana")
    assert "no hay ronda 9" in refused("show", "copa", "--round", 9)
    assert "no hay torneo 'otra'" in refused("show", "otra")
    copa("draw", "copa")
    copa("publish", "copa", 1)
    assert "(abierta)" in refused("replace", "copa", 1, 1, "--reason", "no")
    for table in range(1, len(shown(copa)["rounds"][0]["tables"]) + 1):
        copa("absent", "copa", 1, table, 0)
    copa("close", "copa", 1)
    assert "(terminada)" in refused("pair", "copa", 1, "1=Ana,Bea/Cira,Dora", "--reason", "no")
    assert "(terminada)" in refused("close", "copa", 1)
    copa("plan", "copa", "--change", "--rounds", 3)
    (tmp_path / "entries.csv").write_text("nombre\nAna\n", encoding="utf-8")
    assert "player (jugador), partner (pareja), table (mesa)" in refused("enter", "copa", "--file", "entries.csv")
    (tmp_path / "plan.toml").write_text('tie_breaks = ["bucholz"]\n', encoding="utf-8")
    unknown = refused("plan", "otra", "--name", "Otra", "--format", "swiss", "--file", "plan.toml")
    assert "lo más parecido es buchholz" in unknown
    assert "Invalid" not in unknown
    wrong = refused("plan", "otra", "--name", "Otra", "--format", "swiss", "--ruleset", "cuban-150", "--mode", "3v3")
    assert "Invalid" not in wrong
    assert "2v2" in wrong
