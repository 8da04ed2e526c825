"""`whatIfHand`: a recorded hand under rules that nobody has adopted."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served, token
from leagues import PLAYERS, block, opened, send

from league.domain.match import RecordHand

ADMIN = token("admin")
ASKED = """query ($input: WhatIfHandInput!) { it: whatIfHand(input: $input) {
  ... on WhatIfHand { summary nextStarter isAfterEnd
    now { winner points terms { rule side points } notJudged { rule } leftoverPips }
    tried { winner points terms { rule side points } notJudged { rule field } leftoverPips } }
  ... on InvalidRulebookError { problems { key reason } }
  ... on UserError { __typename code field message } } }"""
HOUSE = '[rulesets.house-club]\nextends = "cuban-150"\ntitle = "Club"\n'
BY_ENDING = 'hand_points = "by_ending"\nending = { domino=1, double=2, both_ends=3, double_both_ends=4, block=7 }\n'


def what_if(season: Served, settings: str, ruleset: str | None = "house-club", **where: Any) -> Any:
    """The second hand of the first match, a block: side 0 holds 22 pips, side 1 holds 55."""
    given = {"match": "c-0001", "hand": 2, "settings": settings, "ruleset": ruleset, **where}
    return season.ask(ASKED, ADMIN, input=given)["it"]


def test_a_house_ruleset_is_tried_on_a_recorded_hand(season: Served) -> None:
    """All pips on the table go to the winner of a block, and nothing of it is stored."""
    said = what_if(season, f'{HOUSE}counted_pips = "all_on_block"')
    assert (said["now"]["points"], said["tried"]["points"]) == ([55, 0], [77, 0])
    assert said["summary"] == "This hand would give 77 instead of 55."
    assert said["tried"]["terms"] == [{"rule": "LEFTOVER", "side": 0, "points": 77}]
    by_ending = what_if(season, HOUSE + BY_ENDING)["tried"]
    assert [(term["rule"], term["points"]) for term in by_ending["terms"]] == [("ENDING", 7)]
    assert by_ending["leftoverPips"] == 0


def test_the_rules_in_force_may_be_changed_too(season: Served) -> None:
    """Without a name the ruleset of the match is tried."""
    said = what_if(season, '[rulesets.cuban-150]\ncounted_pips = "all_on_block"', None)
    assert said["tried"]["points"] == [77, 0]


def test_settings_change_the_edition_or_the_replay_that_is_named(small: Served) -> None:
    """A ruleset of another edition is tried although the edition in force has none of this name."""
    text = '[rulesets.house-late]\nextends = "cuban-150"\ntitle = "Late"\ncounted_pips = "all_on_block"\n'
    small.follow(str(send(small.league, opened("m1", PLAYERS[:4], 0), RecordHand("m1", block(0, 3, 30, 4, 20)))))
    where = {"match": "m1", "hand": 1, "ruleset": "house-late"}
    assert small.do("publishEdition", ADMIN, document=text)["__typename"] == "RulesSuccess"
    assert what_if(small, "", **where)["code"] == "NOT_FOUND"
    assert "summary" in what_if(small, "", **where, baseEdition=2)
    assert what_if(small, "", **where, baseEdition=77)["field"] == ["baseEdition"]
    asked = "__typename ... on ReplaySuccess { replay { number } }"
    number = small.do("startReplay", ADMIN, asked, document=text)["replay"]["number"]
    assert "summary" in what_if(small, "", **where, baseReplay=number)
    assert what_if(small, "", **where, baseReplay=77)["field"] == ["baseReplay"]
    assert what_if(small, "", **where, baseReplay=number, baseEdition=2)["field"] == ["baseReplay"]


def test_what_a_seat_held_is_named_where_it_is_needed(small: Served) -> None:
    """So that a page can say whose pips nobody noted."""
    small.follow(str(send(small.league, opened("m2", PLAYERS[:4], 1), RecordHand("m2", block(0, 3, 30, 4, None)))))
    query = """query ($input: WhatIfHandInput!) { it: whatIfHand(input: $input) {
      ... on WhatIfHand { match { matchId } tried { notJudged { rule seat } } } } }"""
    said = small.ask(query, ADMIN, input={"match": "m2", "hand": 1, "settings": ""})["it"]
    assert said["match"] == {"matchId": "m2"}
    assert {(one["rule"], one["seat"]) for one in said["tried"]["notJudged"]} >= {("LEFTOVER", 3)}


@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        ({"settings": f"{HOUSE}capicua_doubles = 3"}, "INVALID_RULEBOOK", ["settings"]),
        ({"settings": HOUSE, "ruleset": "house-clubb"}, "NOT_FOUND", ["ruleset"]),
        ({"settings": "", "ruleset": "dominican-200"}, "INVALID", ["ruleset"]),
        ({"settings": HOUSE, "hand": 99}, "NOT_FOUND", ["hand"]),
        ({"settings": HOUSE, "match": "nobody"}, "NOT_FOUND", ["match"]),
    ],
)
def test_what_cannot_be_tried_is_refused_by_its_field(
    season: Served, given: dict[str, Any], code: str, field: list[str]
) -> None:
    """A setting by its key, an unknown name, another set of tiles, a hand or a match that there is not."""
    said = what_if(season, **given)
    assert (said["code"], said["field"]) == (code, field)
