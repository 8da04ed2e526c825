"""Version 2 of the rules: what absences, unwon byes and capped differences count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import fields
from random_plans import RULEBOOK
from random_tournaments import START

from league.domain.refusals import InvalidInput
from league.tournaments.domain.commands import ChangePlan
from league.tournaments.domain.entering import change_plan
from league.tournaments.domain.events import PlanChanged
from league.tournaments.domain.outcomes import RoundOutcome, TableResult, outcomes, point_rules_of
from league.tournaments.domain.outcomes import table_result as result_at
from league.tournaments.domain.plan import Plan, RulesVersion, TieBreak, parse_plan
from league.tournaments.domain.results import MatchSummary
from league.tournaments.domain.settings import SETTINGS, settings_that_hold
from league.tournaments.domain.standing import as_read, standing, value
from league.tournaments.domain.state import CompetitorEntry, RoundState, TableOfRound, TournamentState
from league.tournaments.seen_tournaments import SeenTournament

CUBAN = RULEBOOK.rulesets["cuban-150"]
IDS = ("ana", "bea", "cira", "dora")


def plan_of(format_: str, **settings: Any) -> Plan:
    rounds = {} if format_ == "round_robin" else {"rounds": 3}
    given = {"name": "Copa", "format": format_, "ruleset": "cuban-150", "mode": "1v1", **rounds, **settings}
    return parse_plan(given)


def played(plan: Plan, *rounds: RoundState) -> TournamentState:
    entries = {id_: CompetitorEntry(id_, (id_,), START) for id_ in IDS}
    return TournamentState("copa", plan=plan, entries=entries, rounds=rounds)


def round_of(number: int, *tables: TableOfRound, byes: Sequence[str] = ()) -> RoundState:
    return RoundState(number, 1, "closed", tables=tables, byes=tuple(byes))


def table(number: int, one: str, other: str, absent: tuple[int, ...] = (), match: str | None = None) -> TableOfRound:
    return TableOfRound(number, ((one,), (other,)), games=() if match is None else ((match,),), absent=absent)


def two_absences(plan: Plan) -> dict[str, list[RoundOutcome]]:
    """Ana beats bea, who does not come; cira and dora are both absent. Then ana beats cira, 150 to 40."""
    state = played(
        plan,
        round_of(1, table(1, "ana", "bea", absent=(1,)), table(2, "cira", "dora", absent=(0, 1))),
        round_of(2, table(1, "ana", "cira", match="m"), byes=["bea", "dora"]),
    )
    return outcomes(state, {"m": MatchSummary("completed", 0, (155, 40), begun=True)}, point_rules_of(plan, CUBAN))


def values(tie_break: TieBreak, found: dict[str, list[RoundOutcome]]) -> dict[str, int | None]:
    return {id_: value(tie_break, id_, found, ()) for id_ in IDS}


def test_an_absence_in_a_round_robin_is_a_match_of_the_two() -> None:
    """For `buchholz` and `sonneborn_berger` the other side is an opponent, beaten if the walkover is won."""
    found = two_absences(plan_of("round_robin"))
    # Matches won: ana 2, bea 1 (a bye), cira 0, dora 1 (a bye).
    assert values("buchholz", found) == {"ana": 1 + 0, "bea": 2 + 1, "cira": 1 + 2, "dora": 0 + 1}
    assert values("sonneborn_berger", found) == {"ana": 1, "bea": 0, "cira": 0, "dora": 0}
    assert value("direct", "ana", found, ("ana", "bea")) == 1
    assert value("direct", "cira", found, ("cira", "dora")) == 0, "they have met, and both have lost"


def test_an_absence_in_a_swiss_round_adds_the_own_wins() -> None:
    """For `buchholz` a double absence is what a bye or walkover is, and nobody was met or beaten."""
    found = two_absences(plan_of("swiss"))
    assert values("buchholz", found) == {"ana": 2 + 0, "bea": 1 + 1, "cira": 0 + 2, "dora": 1 + 1}
    assert values("sonneborn_berger", found) == dict.fromkeys(IDS, 0)
    assert value("direct", "ana", found, ("ana", "bea")) is None


@pytest.mark.parametrize("format_", ["round_robin", "swiss"])
def test_who_came_has_not_lost_a_walkover_that_is_not_won(format_: str) -> None:
    """A bye or walkover that the plan does not count as won is not lost; who did not come has lost."""
    plan = plan_of(format_, bye={"won": False}, walkover={"won": False})
    of_round = {id_: [(one.won, one.lost) for one in found] for id_, found in two_absences(plan).items()}
    assert of_round == {
        "ana": [(False, False), (True, False)],
        "bea": [(False, True), (False, False)],
        "cira": [(False, True), (False, True)],
        "dora": [(False, True), (False, False)],
    }


def test_the_difference_of_every_outcome_is_capped() -> None:
    """`difference_cap` holds after `score_cap`, for byes and walkovers too, and leaves `points_for` alone."""
    found = two_absences(plan_of("round_robin", difference_cap=60, score_cap=90))
    # 75 to 0 for the walkover and the byes, 90 to 40 in the match.
    assert values("difference", found) == {"ana": 60 + 50, "bea": -60 + 60, "cira": -50, "dora": 60}
    assert values("points_for", found) == {"ana": 75 + 90, "bea": 75, "cira": 40, "dora": 75}


def test_a_table_has_the_score_of_its_match_and_the_points_that_count() -> None:
    """A forfeit counts what a walkover gives; the match keeps its own score."""
    points = point_rules_of(plan_of("swiss"), CUBAN)
    results = {
        "won": MatchSummary("completed", 0, (163, 40), begun=True),
        "given up": MatchSummary("forfeited", 1, (90, 20), (90, 20), begun=True),
        "running": MatchSummary("open", None, (12, 0), begun=True),
    }
    found = {match: result_at(table(1, "ana", "bea", match=match), results, points) for match in results}
    assert (found["won"].score, found["won"].counts) == ((163, 40), (150, 40))
    assert (found["given up"].score, found["given up"].counts) == ((90, 20), (0, 75))
    assert found["running"] == TableResult("open", score=(12, 0))


def test_the_provisional_standing_has_the_leaders_of_open_matches_as_winners() -> None:
    """A level match counts nothing, and neither does one without points; results that are there stay."""
    plan = plan_of("round_robin", tie_breaks=["difference"])
    state = played(plan, round_of(1, table(1, "ana", "bea", match="led"), table(2, "cira", "dora", match="level")))
    running = MatchSummary("open", None, (40, 65), begun=True)
    results = {"led": running, "level": MatchSummary("open", None, (30, 30), begun=True)}
    seen = SeenTournament(state, START, CUBAN, results)
    places = seen.provisional_standing
    assert [(place.id, place.won, place.values) for place in places] == [
        ("bea", 1, (25,)), ("cira", 0, (0,)), ("dora", 0, (0,)), ("ana", 0, (-25,)),
    ]  # fmt: skip
    assert {place.won for place in seen.standing()} == {0}
    decided = {"led": MatchSummary("completed", 0, (150, 0), begun=True), "level": MatchSummary("open", None, None)}
    assert SeenTournament(state, START, CUBAN, decided).provisional_standing == []


def test_byes_are_said_as_their_number() -> None:
    """Fewer byes are better; the standing says how many they were, and version 1 what it always said."""
    found = two_absences(plan_of("swiss"))
    places = standing(found, ["fewest_byes"])
    assert [(place.id, as_read("fewest_byes", place.values[0], 2)) for place in places] == [
        ("ana", 0), ("bea", 1), ("dora", 1), ("cira", 0),
    ]  # fmt: skip
    assert [as_read("fewest_byes", place.values[0], 1) for place in places] == [0, -1, -1, 0]
    assert (as_read("direct", None, 1), as_read("direct", None, 2)) == (0, None)


@pytest.mark.parametrize("rules", [1, 2])
def test_a_change_of_the_plan_keeps_its_rules(rules: RulesVersion) -> None:
    """The version is that of the first planning, whoever changes the plan, and nobody can choose it."""
    document = {"name": "Copa", "format": "swiss", "ruleset": "cuban-150", "rounds": 3}
    state = TournamentState("copa", plan=parse_plan(document, rules=rules))
    (changed,) = change_plan(ChangePlan("copa", {**document, "rounds": 4}), state, RULEBOOK)
    assert changed == PlanChanged(parse_plan({**document, "rounds": 4}, rules=rules))
    with pytest.raises(InvalidInput, match="is not a setting"):
        change_plan(ChangePlan("copa", {**document, "rules": 2}), state, RULEBOOK)


def test_every_setting_belongs_to_a_format() -> None:
    """A new setting of a plan is listed for the formats that have it, with the value that holds."""
    identity = {"name", "format", "ruleset", "rules"}
    assert {name for names in SETTINGS.values() for name in names} == {one.name for one in fields(Plan)} - identity
    found = settings_that_hold(plan_of("swiss"), point_rules_of(plan_of("swiss"), CUBAN))
    assert (found["opponent_window"], found["score_cap"], found["rounds"]) == ("all", 150, 3)
    assert found["walkover"] == {"won": True, "for": 75, "against": 0}
    assert found["requested_bye"] == {"won": False, "for": 0, "against": 0}
