"""A refusal names what the input calls it, and each of several faults by itself."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served, token

ADMIN = token("admin")
PLAN: dict[str, Any] = {"name": "Copa", "format": "SWISS", "rounds": 3, "ruleset": "cuban-150"}
FAULTS = "... on InvalidInputError { faults { field message } }"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"bye": {"pointsFor": -1}}, ["plan", "bye", "pointsFor"]),
        ({"bye": {"pointsAgainst": -1}}, ["plan", "bye", "pointsAgainst"]),
        ({"walkover": {"pointsFor": -1}}, ["plan", "walkover", "pointsFor"]),
        ({"walkover": {"pointsAgainst": -1}}, ["plan", "walkover", "pointsAgainst"]),
        ({"opponentWindow": {"rounds": -1}}, ["plan", "opponentWindow", "rounds"]),
        ({"partnerWindow": {"rounds": -1}}, ["plan", "partnerWindow", "rounds"]),
        ({"scoreCap": 0}, ["plan", "scoreCap"]),
        ({"tieBreaks": ["DIFFERENCE", "DIFFERENCE"]}, ["plan", "tieBreaks"]),
        ({"ruleset": "none"}, ["plan", "ruleset"]),
    ],
)
def test_a_fault_of_a_plan_has_its_path(small: Served, given: dict[str, Any], field: list[str]) -> None:
    """The path names the settings as the input does, even if the plan in the log names them otherwise."""
    assert small.do("planTournament", ADMIN, plan={**PLAN, **given})["field"] == field


def test_each_of_several_faults_is_an_entry(small: Served) -> None:
    """With its own path and its own sentence; the refusal has those of all together."""
    plan = {**PLAN, "name": " ", "bye": {"pointsFor": -1}, "minutes": 0}
    said = small.do("planTournament", ADMIN, FAULTS, plan=plan)
    assert [(one["field"], one["message"]) for one in said["faults"]] == [
        (["plan", "name"], "Must not be empty."),
        (["plan", "minutes"], "Must be at least 1."),
        (["plan", "bye", "pointsFor"], "Must be at least 0."),
    ]
    assert said["field"] == ["plan", "name"]
    assert said["message"].split("; ") == [
        "Must not be empty", "plan.minutes: must be at least 1", "plan.bye.pointsFor: must be at least 0.",
    ]  # fmt: skip


def test_one_fault_is_one_entry(small: Served) -> None:
    """A client reads one fault as it reads several."""
    said = small.do("registerPlayer", ADMIN, FAULTS, name="")
    assert said["faults"] == [{"field": said["field"], "message": said["message"]}]
    assert said["field"] == ["name"]


REPLAY = "mutation ($input: StartReplayInput!) { it: startReplay(input: $input) { ... on UserError { code field } } }"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"document": "nonsense = 1"}, ["document"]),
        ({"edition": 9}, ["edition"]),
        ({"edition": 1, "replay": 1}, ["replay"]),
        ({"document": "", "season": "none"}, ["season"]),
        ({"document": "", "from": "2026-02-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"}, ["to"]),
        ({"knownAt": "2099-01-01T00:00:00Z"}, ["knownAt"]),
    ],
)
def test_a_refused_replay_names_its_field(small: Served, given: dict[str, Any], field: list[str]) -> None:
    """Not the column of the replay."""
    assert small.ask(REPLAY, ADMIN, input=given)["it"]["field"] == field


@pytest.mark.parametrize(
    ("settings", "period", "field"),
    [
        ("rating.nonsense = 1", None, ["settings"]),
        ("not TOML", None, ["settings"]),
        ("rulesets.cuban-150.target = 100", None, ["settings"]),
        ("", {"season": "none"}, ["period", "season"]),
        ("", {"from": "2026-02-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"}, ["period", "to"]),
    ],
)
def test_a_trial_names_its_argument(season: Served, settings: str, period: Any, field: list[str]) -> None:
    """`whatIf` has no `input`: the path begins with the argument."""
    query = (
        "query ($settings: String!, $period: WhatIfPeriod) { it: whatIf(settings: $settings, period: $period) "
        "{ ... on UserError { code field } } }"
    )
    assert season.ask(query, ADMIN, settings=settings, period=period)["it"]["field"] == field


def test_an_adoption_that_lacks_a_ruleset_names_the_edition(small: Served) -> None:
    """Its input has no rulebook."""
    another = '[rulesets.another]\nextends = "cuban-150"\ntitle = "Another"\n'
    assert small.do("publishEdition", ADMIN, document=another)["__typename"] == "RulesSuccess"
    small.do("adoptEdition", ADMIN, edition=2)
    refused = small.do("adoptEdition", ADMIN, edition=1)
    assert (refused["code"], refused["field"]) == ("INVALID", ["edition"])


OPEN = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "competition": "CASUAL"}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"matchId": "taken", "seats": ["ana", "bea"]}, "matchId"),
        ({"matchId": "new", "seats": ["ana", "none"]}, "seats.1"),
    ],
)
def test_a_previewed_command_has_the_path_of_its_input(small: Served, given: dict[str, Any], field: str) -> None:
    """Within the list of commands."""
    small.do("openMatch", ADMIN, **OPEN, matchId="taken", seats=["ana", "bea"])
    query = "query ($input: PreviewInput!) { it: preview(input: $input) { ... on UserError { code field } } }"
    said = small.ask(query, ADMIN, input={"commands": [{"openMatch": {**OPEN, **given}}]})["it"]
    assert said["field"] == ["commands", "0", "openMatch", *field.split(".")]


LATE = "2099-01-01T00:00:00Z"
FACTS = {"ended": {"by": "DOMINO", "seat": 7}, "leftover": [None, {"pips": -4}, {"pips": 5000}, None]}


@pytest.mark.parametrize(
    ("mutation", "given", "fields"),
    [
        (
            "openMatch",
            {**OPEN, "matchId": "a b", "ruleset": "cuban-999", "seats": ["ana", "zz"], "playedAt": LATE},
            ["matchId", "ruleset", "seats.1", "playedAt"],
        ),
        (
            "planTournament",
            {"tournamentId": "x y", "plan": {**PLAN, "name": "", "rounds": 0, "minutes": -3, "ruleset": "none"}},
            ["tournamentId", "plan.name", "plan.rounds", "plan.minutes", "plan.ruleset"],
        ),
        ("registerPlayer", {"playerId": "x y", "name": "", "region": "\x1b"}, ["playerId", "name", "region"]),
        ("addMember", {"subject": "", "roles": [], "player": "zz"}, ["subject", "roles", "player"]),
        (
            "changeSettings",
            {"name": "", "timeZone": "Nowhere", "photoConfidence": 2},
            ["name", "timeZone", "photoConfidence"],
        ),
        (
            "openSeason",
            {"seasonId": "x y", "name": "", "start": "2026-02-01T00:00:00Z", "end": "2026-01-01T00:00:00Z"},
            ["seasonId", "name", "end"],
        ),
    ],
)  # fmt: skip
def test_independent_faults_come_together(
    small: Served, mutation: str, given: dict[str, Any], fields: list[str]
) -> None:
    """Whoever sends several wrong values learns of all at once."""
    said = small.do(mutation, ADMIN, FAULTS, **given)
    assert [".".join(one["field"]) for one in said["faults"]] == fields


def test_the_faults_of_a_hand_come_together(small: Served) -> None:
    """Recorded or corrected: its seats, its pips, its time and the reason of a correction."""
    small.do("openMatch", ADMIN, **{**OPEN, "mode": "TWO_ON_TWO"}, matchId="m", seats=["ana", "bea", "cira", "dora"])
    wrong = {"match": "m", "facts": FACTS}
    said = small.do("recordHand", ADMIN, FAULTS, **wrong, playedAt=LATE)
    of_facts = ["facts.ended.seat", "facts.leftover.1", "facts.leftover.2"]
    assert [".".join(one["field"]) for one in said["faults"]] == ["playedAt", *of_facts]
    right = {"ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"pips": 0}, {"pips": 9}, None, {"pips": 7}]}
    small.do("recordHand", ADMIN, match="m", facts=right)
    said = small.do("correctHand", ADMIN, FAULTS, **wrong, hand=1, reason="\x1b")
    assert [".".join(one["field"]) for one in said["faults"]] == ["reason", *of_facts]
