"""What the API says of OVERALL, wherever an argument is a mode of ratings: an answer, or that there is none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from api_server import Served
from graphql import GraphQLInterfaceType, GraphQLObjectType, get_named_type

from league.api.schema import core

ANSWERED = {
    "Player.rating": 'player(id: "p001") { rating(mode: OVERALL) { value } }',
    "Player.ratingHistory": 'player(id: "p001") { ratingHistory(mode: OVERALL) { nodes { before } } }',
    "Competitor.ratingSeries": 'player(id: "p001") { ratingSeries(mode: OVERALL) { points { rating } } }',
    "Query.ratingDistribution": "ratingDistribution(mode: OVERALL, establishedOnly: false) { buckets { count } }",
}
REFUSED = {
    "Competitor.journal": 'player(id: "p001") { journal(mode: OVERALL) { totalCount } }',
    "Query.ratingDrift": "ratingDrift(mode: OVERALL) { month }",
}
"""A query for each field. A field without an answer is about matches or corrections, which have no overall rating."""
OF_ADMINS = {
    "LeagueDifference.moves",
    "LeagueDifference.changes",
    "LeagueDifference.divergences",
    "Promotion.moves",
    "WhatIf.drift",
}
"""Fields that `test_shown_difference.py` and the laboratory's tests ask for."""


def with_a_mode() -> Iterator[str]:
    """Each field that takes a mode of ratings; one that an interface has is there once."""
    for kind in core.type_map.values():
        if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType) and not kind.name.startswith("__"):
            of_interfaces = {name for interface in kind.interfaces for name in interface.fields}
            for name, field in kind.fields.items():
                takes = any(get_named_type(item.type).name == "RatingMode" for item in field.args.values())
                if takes and name not in of_interfaces:
                    yield f"{kind.name}.{name}"


def test_each_field_that_takes_a_mode_is_asked() -> None:
    """Here or where its object is tested."""
    assert set(with_a_mode()) == {*ANSWERED, *REFUSED, *OF_ADMINS}


@pytest.mark.parametrize("field", ANSWERED)
def test_there_is_an_answer(season: Served, field: str) -> None:
    """With values in it."""
    assert _values(season.ask(f"{{ {ANSWERED[field]} }}"))


@pytest.mark.parametrize("field", REFUSED)
def test_it_is_refused_where_nothing_can_be_said(season: Served, field: str) -> None:
    """Not an empty list, which would say that there has been nothing."""
    error = season.error(f"{{ {REFUSED[field]} }}")
    assert (error["extensions"]["code"], error["extensions"]["argument"]) == ("BAD_REQUEST", "mode")
    assert "overall" in error["message"]


CHANGE = (
    "mode before after matchesBefore match { matchId } "
    "overall { before after delta shownBefore shownAfter weight other otherWeight }"
)


@pytest.mark.parametrize("player", ["p001", "p004", "p006", "p012"])
def test_the_overall_history_is_the_chart_with_what_moved_it(season: Served, player: str) -> None:
    """Each change of either mode, with the overall rating before and after it and the weights of both modes."""
    asked = (
        f'{{ player(id: "{player}") {{ ratings {{ mode value }} '
        f"ratingSeries(mode: OVERALL, points: 1000) {{ total points {{ rating matchId }} }} "
        f"ratingHistory(mode: OVERALL, first: 100) {{ totalCount nodes {{ {CHANGE} }} }} }} }}"
    )
    said = season.ask(asked)["player"]
    changes, chart = said["ratingHistory"]["nodes"][::-1], said["ratingSeries"]
    assert said["ratingHistory"]["totalCount"] == chart["total"] > 1
    assert [(one["match"]["matchId"], one["overall"]["after"]) for one in changes] == [
        (point["matchId"], point["rating"]) for point in chart["points"]
    ]
    for before, after in pairwise(changes):
        assert before["overall"]["after"] == after["overall"]["before"]
    assert changes[0]["overall"]["before"] == changes[0]["before"]
    assert {"mode": "OVERALL", "value": changes[-1]["overall"]["after"]} in said["ratings"]
    for change in changes:
        overall = change["overall"]
        assert overall["delta"] == overall["after"] - overall["before"]
        if overall["other"] is None:
            assert (overall["weight"], overall["otherWeight"], overall["after"]) == (1.0, None, change["after"])
        else:
            assert overall["after"] == overall["weight"] * change["after"] + overall["otherWeight"] * overall["other"]


def test_some_player_of_the_season_has_both_modes(season: Served) -> None:
    """So the weights above are tried; a pair's own change has no overall rating."""
    asked = '{ player(id: "p001") { ratingHistory(mode: OVERALL, first: 100) { nodes { overall { other } } } } }'
    assert any(one["overall"]["other"] for one in season.ask(asked)["player"]["ratingHistory"]["nodes"])
    of_pair = "{ teams(first: 1) { nodes { ratingHistory { nodes { overall { after } } } } } }"
    assert {one["overall"] for one in season.ask(of_pair)["teams"]["nodes"][0]["ratingHistory"]["nodes"]} == {None}


def _values(answer: Any) -> list[Any]:
    if isinstance(answer, dict):
        return [value for one in answer.values() for value in _values(one)]
    if isinstance(answer, list):
        return [value for one in answer for value in _values(one)]
    return [] if answer is None else [answer]
