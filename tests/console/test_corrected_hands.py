"""What the form of a hand says is what is stored: a correction that changes nothing keeps every fact."""

from __future__ import annotations

import json
from typing import Any

import pytest
from api_server import Served
from starlette.datastructures import FormData

from league.console.controls import FieldErrors
from league.console.scorekeeping.hands import KEY_BONE, asked_of, facts_in, suggested_of, unshown_facts_of
from league.photos.console import counted_pips, new_counts, photos_of

HANDS = """{ matches(first: 60) { nodes { seats { side } hands {
  starter endedBy seat leftover { seat tiles pips } sideLeftover statedWinner statedCapicua
  closing { tile fitsBothEnds endsEqual blocksToo } openingPass corridos corridosBySide drew
} } } }"""


SIX = {"set": "double-six", "tiles_each": 7}


def form_of(hand: Any, sides: list[int]) -> FormData:
    """The form of a correction as a browser sends it back untouched."""
    whole = {
        "seats": str(len(sides)),
        "sides": str(max(sides) + 1),
        "recorded": json.dumps(unshown_facts_of(hand, sides)),
    }
    return FormData({**{name: str(value) for name, value in suggested_of(hand, sides).items()}, **whole})


def held_by(held: Any) -> Any:
    """What a seat held, as an input of the API."""
    if held["tiles"] is not None:
        return {"tiles": held["tiles"]}
    return None if held["pips"] is None else {"pips": held["pips"]}


def given(hand: Any) -> Any:
    """The recorded facts as an input of the API."""
    closing, who = hand["closing"], "seat" if hand["endedBy"] == "DOMINO" else "locker"
    passes = {name: hand[name] for name in ("openingPass", "corridos", "corridosBySide", "drew")}
    return {
        "starter": hand["starter"],
        "ended": {"by": hand["endedBy"], who: hand["seat"], **closing},
        "leftover": [held_by(held) for held in hand["leftover"]],
        **{name: hand[name] for name in ("sideLeftover", "statedWinner", "statedCapicua")},
        "passes": passes,
    }


def known(facts: Any) -> Any:
    """Facts without those that are not known."""
    if isinstance(facts, dict):
        return {name: known(value) for name, value in facts.items() if value is not None}
    return facts


def test_a_correction_that_changes_nothing_keeps_every_fact(season_site: Served) -> None:
    """This holds for every recorded hand, including tiles and passes that the form does not show in full."""
    matches = season_site.ask(HANDS)["matches"]["nodes"]
    hands = [(hand, [seat["side"] for seat in match["seats"]]) for match in matches for hand in match["hands"]]
    assert len(hands) > 300
    for hand, sides in hands:
        assert known(facts_in(form_of(hand, sides))) == known(given(hand))


def test_a_changed_ending_drops_what_followed_from_the_last_tile(season_site: Served) -> None:
    """If the person changes the answer about the capicúa, `fitsBothEnds` becomes unknown."""
    matches = season_site.ask(HANDS)["matches"]["nodes"]
    hand, sides = next(
        (hand, [seat["side"] for seat in match["seats"]])
        for match in matches
        for hand in match["hands"]
        if hand["endedBy"] == "DOMINO" and hand["closing"]["fitsBothEnds"] is not None
    )
    changed = FormData({**form_of(hand, sides), "facts.statedCapicua": "yes"})
    assert facts_in(changed)["ended"].get("fitsBothEnds") is None


@pytest.mark.parametrize(
    ("control", "text"),
    [
        ("facts.ended.seat", "x"),
        ("facts.sideLeftover.1", "-3"),
        ("facts.sideLeftover.1", "99999999999999"),
        ("facts.ended.tile", "seis tres"),
        ("recorded", "[1]"),
    ],
)
def test_what_cannot_be_read_is_refused_beside_its_control(control: str, text: str) -> None:
    """Hidden content that cannot be read is ignored."""
    form = {"seats": "4", "sides": "2", "facts.ended.by": "DOMINO", "facts.ended.seat": "0", control: text}
    if control == "recorded":
        assert facts_in(FormData(form))["ended"]["seat"] == 0
        return
    with pytest.raises(FieldErrors) as refused:
        facts_in(FormData(form))
    assert list(refused.value.errors) == [control]


def test_a_key_bone_is_asked_for_where_the_rules_give_a_point_for_it() -> None:
    """The question replaces the one about the capicúa, which asks the same. A recorded answer to that stays."""
    rules = {"bonuses": {"key_bone": 1}, "scoring": "hands", "block_winner": "lowest_hand", "capicua_void_on": []}
    rules |= SIX
    asked = asked_of({"ruleset": {"rules": rules}, "seats": [], "sides": []})
    assert (asked["asks_key_bone"], asked["asks_capicua"]) == (True, False)
    form = {"seats": "4", "sides": "2", "facts.ended.by": "DOMINO", "facts.ended.seat": "0", KEY_BONE: "yes"}
    recorded = json.dumps({"statedCapicua": True})
    facts = facts_in(FormData({**form, "recorded": recorded}))
    assert (facts["ended"]["fitsBothEnds"], facts["statedCapicua"]) == (True, True)
    assert facts_in(FormData({**form, KEY_BONE: ""}))["ended"]["fitsBothEnds"] is None
    assert "fitsBothEnds" not in facts_in(FormData({**form, "facts.ended.by": "BLOCK"}))["ended"]


def test_a_hand_that_scores_by_its_ending_is_asked_for_both_ends() -> None:
    """Whether the last tile fitted both ends decides its points, and so does the tile."""
    ending = {"domino": 1, "double": 2, "both_ends": 3, "double_both_ends": 4, "block": 1}
    rules = {"bonuses": {}, "scoring": "points", "counted_pips": "opponents", "block_winner": "lowest_hand"}
    rules |= {"capicua_void_on": [], "hand_points": "by_ending", "ending": ending, **SIX}
    asked = asked_of({"ruleset": {"rules": rules}, "seats": [], "sides": []})
    assert (asked["asks_both_ends"], asked["asks_tile"], asked["asks_key_bone"]) == (True, True, False)


def test_who_is_named_alone_went_out() -> None:
    """Nobody has to say that a hand ended by a domino; a tranque is said."""
    form = {"seats": "4", "sides": "2", "facts.ended.seat": "2"}
    assert (facts_in(FormData(form))["ended"]["by"], facts_in(FormData(form))["ended"]["seat"]) == ("DOMINO", 2)
    with pytest.raises(FieldErrors) as refused:
        facts_in(FormData({"seats": "4", "sides": "2"}))
    assert list(refused.value.errors) == ["facts.ended.seat"]


def test_an_unticked_box_means_no() -> None:
    """Only a box that the form has says so: a question that the rules do not ask stays unknown."""
    form = [("seats", "4"), ("sides", "2"), ("facts.ended.seat", "0"), ("unticked", "facts.statedCapicua")]
    facts = facts_in(FormData(form))
    assert (facts["statedCapicua"], facts["passes"]["openingPass"]) == (False, None)
    ticked = facts_in(FormData([*form, ("unticked", "facts.passes.openingPass"), ("facts.statedCapicua", "yes")]))
    assert (ticked["statedCapicua"], ticked["passes"]["openingPass"]) == (True, False)


def test_a_chuchazo_is_said_in_a_word() -> None:
    """The chuchazo is the tile 0-0. With another tile it is refused; after a block it is ignored."""
    form = {"seats": "4", "sides": "2", "facts.ended.by": "DOMINO", "facts.ended.seat": "0", "chuchazo": "yes"}
    assert facts_in(FormData(form))["ended"]["tile"] == [0, 0]
    assert facts_in(FormData({**form, "facts.ended.by": "BLOCK"}))["ended"]["tile"] is None
    with pytest.raises(FieldErrors) as refused:
        facts_in(FormData({**form, "facts.ended.tile": "6-3"}))
    assert list(refused.value.errors) == ["chuchazo"]


def test_a_photo_replaces_only_pips_that_were_recorded_before_its_count() -> None:
    """A correction after the count stays. A photo of a side replaces the counts of its players."""
    match = {
        "photos": [
            {"photoId": "a", "hand": 1, "seat": None, "side": 1, "status": "CONFIRMED", "pips": 23, "position": "9"},
            {"photoId": "b", "hand": 1, "seat": 0, "side": None, "status": "PROPOSED", "pips": None, "position": "9"},
            {"photoId": "c", "hand": 1, "seat": 0, "side": None, "status": "ERASED", "pips": 5, "position": "9"},
            {"photoId": "d", "hand": 2, "seat": 0, "side": None, "status": "TYPED", "pips": 5, "position": "9"},
        ]
    }
    photos = photos_of(match, 1)
    assert [photo["photoId"] for photo in photos] == ["a", "b"]
    assert new_counts(photos, since=10) == []
    assert counted_pips(new_counts(photos, since=8), [0, 1, 0, 1]) == {
        "facts.leftover.1": "", "facts.leftover.3": "", "facts.sideLeftover.1": 23,
    }  # fmt: skip
