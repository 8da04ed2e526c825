"""House rules in an edition: contradictions are refused by their key, and editions without them stay as they are."""

from __future__ import annotations

import pytest
from given import EDITION, block, domino, ended, ruleset
from msgspec.structs import replace

from league.domain.collected_refusals import InvalidRulebook
from league.domain.hand import HandFacts
from league.domain.most_points import most_in_a_hand
from league.domain.result import AnnouncedResult
from league.domain.rulebook import canonical, content_hash, parse_rulebook
from league.domain.rules import EndingPoints
from league.domain.tiles import Tile
from league.wording.rulebook import ruleset_lines

BRAZIL = "{ domino = 1, double = 2, both_ends = 3, double_both_ends = 4, block = 1 }"
BY_ENDING = f'hand_points = "by_ending"\nending = {BRAZIL}\ntarget = 12'


def house(settings: str, extends: str = "dominican-200", name: str = "house-club") -> str:
    """An edition with one house ruleset."""
    return f'[rulesets.{name}]\nextends = "{extends}"\ntitle = "Our house"\n{settings}'


@pytest.mark.parametrize(
    ("text", "at", "saying"),
    [
        (house("capicua_doubles = true", "partnership-6"), "capicua_doubles", "for rulesets with points"),
        (house('counted_pips = "all_on_block"', "chiva-4"), "counted_pips", "set scoring to points"),
        (house('block_tie = "next_starts"', "chiva-4"), "block_tie", "for rulesets with points"),
        (house(BY_ENDING, "partnership-6"), "hand_points", "for rulesets with points"),
        (house(f"{BY_ENDING}\ncapicua_doubles = true"), "capicua_doubles", "switch it off, or set hand_points to pips"),
        (house('hand_points = "by_ending"'), "ending", "each of domino, double, both_ends, double_both_ends, block"),
        (house(f"ending = {BRAZIL}"), "ending", "read only where hand_points is by_ending"),
        (house(BY_ENDING.replace("double = 2, ", "")), "ending.double", "is missing"),
        (house(BY_ENDING.replace("domino = 1", "domino = 1.5", 1)), "ending.domino", "a whole number from 0"),
        (house(BY_ENDING.replace("domino = 1", "domino = -1", 1)), "ending.domino", "from 0 to 10000, not -1"),
        (house(BY_ENDING.replace("block = 1", "block = 1, tie = 1")), "ending.tie", "is not a setting"),
        (house('hand_points = "by_ending"\nending = 3'), "ending", "must be a table or false, not 3"),
        (house('hand_points = "by_ending"\nending = {domino=0, double=0, both_ends=0, double_both_ends=0, block=0}'),
         "ending", "or no hand would score"),
        (house(BY_ENDING.replace("12", "9000").replace("dominican", "cuban"), "cuban-150"), "target",
         "a hand gives at most 4, and a match has at most 1000 hands; write at most 4000"),
        (house("target = 1001", "chiva-4"), "target", "write at most 1000"),
        (house("", name="house-Ours"), "", "small letters a to z"),
        (house("", name="house-"), "", "the name of a house ruleset is `house-`"),
    ],
)  # fmt: skip
def test_a_contradiction_names_its_setting_and_what_would_help(text: str, at: str, saying: str) -> None:
    """Nothing of the edition is taken."""
    with pytest.raises(InvalidRulebook) as caught:
        parse_rulebook(text, EDITION)
    [fault] = caught.value.problems
    name = text.partition("rulesets.")[2].partition("]")[0]
    assert fault.at == f"rulesets.{name}{'.' if at else ''}{at}"
    assert saying in fault.reason


def test_house_rules_at_their_defaults_stay_out_of_document_and_hash() -> None:
    """An edition that writes them out is the one that leaves them out."""
    off = 'capicua_doubles = false\nhand_points = "pips"'
    written = parse_rulebook(f"[rulesets.cuban-150]\n{off}\n[rulesets.dominican-200]\n{off}", EDITION)
    assert (written, content_hash(written)) == (EDITION, content_hash(EDITION))
    assert not any(word in canonical(EDITION) for word in (b"capicua_doubles", b"hand_points", b'"ending"'))


def test_every_house_rule_is_hashed_where_it_is_set() -> None:
    """Other rules, another hash."""
    settings = ("capicua_doubles = true", 'counted_pips = "all_on_block"', 'block_tie = "next_starts"', BY_ENDING)
    texts = ["target = 200", *settings, BY_ENDING.replace("double = 2", "double = 5")]
    assert len({content_hash(parse_rulebook(house(text), EDITION)) for text in texts}) == len(texts)


def test_a_house_goes_back_to_pips_by_switching_the_points_by_ending_off() -> None:
    """The ruleset is then as if it had never had them."""
    by_ending = parse_rulebook(house(BY_ENDING), EDITION)
    back = parse_rulebook('[rulesets.house-club]\nhand_points = "pips"\nending = false\ntarget = 200', by_ending)
    assert back == parse_rulebook(house(""), EDITION)


def test_points_by_ending_know_no_viajera_and_an_unknown_one_makes_the_score_a_lower_bound() -> None:
    """Not even where 100 pips are left; a tile that nobody noted leaves the differential open."""
    points = EndingPoints(domino=1, double=2, both_ends=3, double_both_ends=4, block=1)
    rules = ruleset("cuban-150", hand_points="by_ending", ending=points, target=4)

    def hand(tile: Tile | None) -> HandFacts:
        return domino(0, (), 120, tile=tile)

    known = ended(rules, hand((3, 3)), hand((5, 5)))
    assert (known.score, known.achievements.viajeras, known.not_judged) == ((4, 0), 0, ())
    unknown = ended(rules, hand((3, 3)), hand(None), hand((5, 5)))
    assert (unknown.score, unknown.not_judged) == ((4, 0), ("differential", "pollona", "recovery"))
    assert "viajera" not in ended(rules, announced=AnnouncedResult(0, (4, 0))).not_judged


def test_a_ruleset_that_scores_by_the_ending_does_not_tell_what_it_does_with_pips() -> None:
    """Nobody scores pips there, so no line says whose, and no viajera is told."""
    by_ending = parse_rulebook(house(BY_ENDING), EDITION).rulesets["house-club"]
    told = {key for key, _, _ in ruleset_lines(by_ending)}
    assert {"hand_points", "ending"} <= told
    assert {"counted_pips", "viajera_from"}.isdisjoint(told)


def test_a_capicua_that_doubles_makes_no_viajera() -> None:
    """60 pips counted twice are 120 points, and no 100 leftover pips."""
    rules = ruleset("cuban-150", capicua_doubles=True)
    result = ended(rules, domino(0, (), 60, both=True), domino(0, (), 60, both=True))
    assert (result.score, result.achievements.viajeras) == ((240, 0), 0)


def test_the_pips_of_the_winner_make_no_viajera_after_a_block() -> None:
    """60 of the loser and 50 of the winner are 110 points; the loser's alone are no viajera."""
    result = ended(ruleset("cuban-150", counted_pips="all_on_block"), block(0, 50, 60), domino(0, (), 60))
    assert (result.score, result.achievements.viajeras) == ((170, 0), 0)


def test_the_most_that_a_hand_can_give_knows_house_rules() -> None:
    """The highest announced score that is no typing error: by the ending, doubled, or with the winner's own pips."""
    points = EndingPoints(domino=1, double=2, both_ends=3, double_both_ends=4, block=1)
    doubled, everybody = ruleset("cuban-150", capicua_doubles=True), ruleset("cuban-150", counted_pips="all_on_block")
    pips = most_in_a_hand(ruleset("cuban-150"), "1v1", 2)
    assert most_in_a_hand(ruleset("cuban-150", hand_points="by_ending", ending=points), "1v1", 2) == 4
    assert most_in_a_hand(doubled, "1v1", 2) == 2 * pips
    assert pips < most_in_a_hand(everybody, "1v1", 2) < 2 * pips


def test_a_target_out_of_reach_that_a_league_has_already_refuses_no_other_change() -> None:
    """The program once allowed it. It is refused where the ruleset itself is changed."""
    old = replace(EDITION.rulesets["chiva-4"], target=1001)
    league = replace(EDITION, rulesets={**EDITION.rulesets, "chiva-4": old})
    assert parse_rulebook("rating.k.standard = 21", league).rulesets["chiva-4"] == old
    with pytest.raises(InvalidRulebook, match="write at most 1000"):
        parse_rulebook("rulesets.chiva-4.target = 1002", league)


def test_the_table_of_settings_says_that_hands_score_by_their_ending() -> None:
    """`scoring` is `points` then, too, but no pips are scored."""
    rules = parse_rulebook(house(BY_ENDING), EDITION).rulesets["house-club"]
    assert {key: value for key, _, value in ruleset_lines(rules)}["scoring"] == "points by the way in which a hand ends"
