"""The shuffle of a live table, and the proof of a deal: what follows from the secret, and what does not."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from itertools import chain

import msgspec
import pytest
from given import EDITION
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from league.domain import dealing
from league.domain.dealing import (
    NO_CONTRIBUTION,
    ShuffleInputs,
    commitment_of,
    deal,
    leading_tile,
    shuffled,
    starting_draw,
)
from league.domain.play import HandInPlay
from league.domain.tiles import full_set, is_double
from league.tables.domain.commands_and_events import (
    HandDealt,
    HandDropped,
    HandEnded,
    ReshuffleAccepted,
    SeedContributed,
    ShuffleCommitted,
    StartingDrawn,
    TableEvent,
    TileDrawn,
    TilePlayed,
    TurnPassed,
)
from league.tables.domain.proof_of_deal import ProofOfDeal, faults_of_deal, proof_of_deal

BYTES = st.binary(min_size=32, max_size=32)
SHUFFLES = st.builds(
    ShuffleInputs,
    st.sampled_from(["t-1", "mesa-é"]),
    st.integers(1, 40),
    BYTES,
    st.lists(BYTES, min_size=2, max_size=4).map(tuple),
)


@given(SHUFFLES, st.integers(0, 5))
def test_a_deal_has_every_tile_once(shuffle: ShuffleInputs, attempt: int) -> None:
    """Dealt and left over, in both sets; each seat has its tiles in ascending order."""
    for ruleset in (EDITION.rulesets["cuban-150"], EDITION.rulesets["doscientos-200"]):
        made = deal(shuffle, attempt, ruleset)
        assert Counter([*chain(*made.dealt), *made.boneyard]) == Counter(full_set(ruleset.set))
        assert [len(hand) for hand in made.dealt] == [ruleset.tiles_each] * len(shuffle.contributions)
        assert all(list(hand) == sorted(hand) for hand in made.dealt)


@given(SHUFFLES)
def test_everything_that_a_deal_depends_on_changes_it(shuffle: ShuffleInputs) -> None:
    """The table, the hand, the attempt, the secret, and each seat's contribution."""
    flipped = bytes(byte ^ 1 for byte in shuffle.secret)
    others = [(replace(shuffle, hand=shuffle.hand + 1), 0), (replace(shuffle, table="t-2"), 0), (shuffle, 1)]
    others += [(replace(shuffle, secret=flipped), 0)]
    for seat, given_ in enumerate(shuffle.contributions):
        changed = (*shuffle.contributions[:seat], given_[::-1] + b"!", *shuffle.contributions[seat + 1 :])
        others.append((replace(shuffle, contributions=changed), 0))
    orders = {tuple(shuffled(one, attempt, "double-nine")) for one, attempt in [(shuffle, 0), *others]}
    assert len(orders) == 1 + len(others)


@given(SHUFFLES, BYTES)
def test_a_copied_contribution_silences_nobody(shuffle: ShuffleInputs, copied: bytes) -> None:
    """Equal contributions do not cancel out: each of them counts at its own seat, and so does what they both say."""
    nothing = NO_CONTRIBUTION
    assume(copied != nothing)
    given_ = [(nothing, nothing), (copied, nothing), (nothing, copied), (copied, copied)]
    orders = {tuple(shuffled(replace(shuffle, contributions=two), 0, "double-nine")) for two in given_}
    assert len(orders) == len(given_)


def test_a_number_from_the_last_incomplete_span_is_rejected() -> None:
    """Rejection makes each number below the limit equally likely."""
    below = dealing._below  # no seed that is known leads there
    assert below(55, iter([2**32 - 1, 4294967270, 4294967269])) == 54
    assert below(2, iter([2**32 - 1])) == 1


def test_each_tile_comes_to_each_seat_about_as_often() -> None:
    """Over 2,800 deals of double-six, by a chi-squared of 27 degrees of freedom for each of four seats."""
    counts: list[Counter[object]] = [Counter(), Counter(), Counter(), Counter()]
    for number in range(2_800):
        made = deal(
            ShuffleInputs("t-1", number + 1, sha256(b"%d" % number).digest(), (NO_CONTRIBUTION,) * 4),
            0,
            EDITION.rulesets["dominican-200"],
        )
        for seat, hand in enumerate(made.dealt):
            counts[seat].update(hand)
    for count in counts:
        assert sum((count[tile] - 700) ** 2 / 700 for tile in full_set("double-six")) < 60


# ---------------------------------------------------------------- proofs


def events_of_a_hand(
    shuffle: ShuffleInputs, name: str, *, dealt_anew: bool = False, started_by: int | None = None
) -> list[TableEvent]:
    """A hand at a table, from its shuffle to its end; each seat plays the first tile that it may.

    `dealt_anew`: one seat asks for it. `started_by`: the seat, where no draw decides.
    """
    ruleset, hand = EDITION.rulesets[name], shuffle.hand
    events: list[TableEvent] = [ShuffleCommitted(hand, commitment_of(shuffle.secret), shuffle.secret.hex())]
    events += [SeedContributed(hand, seat, added.hex()) for seat, added in enumerate(shuffle.contributions)]
    attempt, starter = 0, started_by or 0
    if started_by is None and hand == 1 and ruleset.first_starter == "starting_draw":
        while True:
            drawn = starting_draw(shuffle, attempt, ruleset.set)
            events.append(StartingDrawn(attempt, drawn))
            attempt, pips = attempt + 1, list(map(sum, drawn))
            if pips.count(max(pips)) == 1:
                starter = pips.index(max(pips))
                break
    events.append(HandDealt(hand, attempt, starter))
    if dealt_anew:
        attempt += 1
        events += [ReshuffleAccepted(hand, 0), HandDealt(hand, attempt, starter)]
    made, must_lead = deal(shuffle, attempt, ruleset), None
    if hand == 1 and ruleset.first_starter == "highest_double":
        starter, must_lead = leading_tile(made.dealt)
        events[-1] = HandDealt(hand, attempt, starter)
    play = HandInPlay(ruleset, made.dealt, starter, made.boneyard, must_lead)
    while not play.is_over:
        turn, seat = len(play.turns) + 1, play.to_move
        if plays := play.legal_plays():
            play.play(*plays[0])
            events.append(TilePlayed(hand, turn, seat, *plays[0], "player"))
        elif play.forced == "draw":
            play.draw()
            events.append(TileDrawn(hand, turn, seat))
        else:
            play.pass_turn()
            events.append(TurnPassed(hand, turn, seat, "no_play"))
    return [*events, HandEnded(hand, shuffle.secret.hex())]


def proof(shuffle: ShuffleInputs, name: str, events: list[TableEvent]) -> ProofOfDeal:
    seats = len(shuffle.contributions)
    ruleset = EDITION.rulesets[name]
    dealt_anew = sum(isinstance(event, HandDealt) and event.hand == shuffle.hand for event in events) > 1
    if dealt_anew:  # under rules that allow it after these deals
        ruleset = replace(ruleset, live=replace(ruleset.live, reshuffle_doubles=1))
    return proof_of_deal(shuffle.table, shuffle.hand, name, ruleset, seats, events)


def has_double(made: ProofOfDeal) -> bool:
    """Whether a seat was first dealt a double; only then may it ask for another deal."""
    return any(is_double(tile) for dealt in made.deals[0].dealt for tile in dealt)


@given(SHUFFLES, st.sampled_from(["cuban-150", "doscientos-200"]), st.booleans(), st.booleans())
def test_the_proof_of_a_hand_holds(shuffle: ShuffleInputs, name: str, first: bool, dealt_anew: bool) -> None:
    """The proof holds for first and later hands, dealt anew or not, with or without a boneyard."""
    shuffle = replace(shuffle, hand=1) if first else shuffle
    made = proof(shuffle, name, events_of_a_hand(shuffle, name, dealt_anew=dealt_anew))
    assume(not dealt_anew or has_double(made))
    assert list(faults_of_deal(made)) == []
    assert msgspec.json.decode(msgspec.json.encode(made), type=ProofOfDeal) == made
    assert len(made.deals) == 1 + dealt_anew


@given(SHUFFLES.map(lambda shuffle: replace(shuffle, hand=1)))
def test_whatever_is_changed_in_a_proof_is_found(shuffle: ShuffleInputs) -> None:
    """One field at a time; the fault names the field, or what does not follow from it any more."""
    made = proof(shuffle, "doscientos-200", events_of_a_hand(shuffle, "doscientos-200", dealt_anew=True))
    assume(has_double(made))
    other = sha256(shuffle.secret + b"!").hexdigest()
    last, turns = made.deals[-1], made.turns
    of_another_seat = replace(turns[0], tile=last.dealt[made.starter - 1][0])
    changed = {
        "table": replace(made, table="t-3"),
        "hand": replace(made, hand=2),
        "commitment": replace(made, commitment=other),
        "secret": replace(made, secret=other, commitment=sha256(bytes.fromhex(other)).hexdigest()),
        "contributions": replace(made, contributions=(other, *made.contributions[1:])),
        "a seat": replace(made, contributions=made.contributions[1:]),
        "starter": replace(made, starter=(made.starter + 1) % len(made.contributions)),
        "tiles_each": replace(made, tiles_each=6),
        "set": replace(made, set="double-nine"),
        "first_starter": replace(made, first_starter="starting_draw"),
        "reshuffle_doubles": replace(made, reshuffle_doubles=0),
        "deals": replace(made, deals=made.deals[1:]),
        "no deal": replace(made, deals=()),
        "rest": replace(made, deals=(*made.deals[:-1], replace(last, rest=last.rest[::-1])))
        if len(last.rest) > 1
        else None,
        "turns": replace(made, turns=(of_another_seat, *turns[1:])),
    }
    for what, one in changed.items():
        assert one is None or list(faults_of_deal(one)), what


def test_a_hand_that_was_shuffled_again_is_proven_by_its_last_shuffle() -> None:
    """Events before `HandDropped` do not count, and neither do those of other hands."""
    first = ShuffleInputs("t-1", 1, b"a" * 32, (b"1" * 32, b"2" * 32))
    again = replace(first, secret=b"b" * 32)
    dropped = events_of_a_hand(first, "cuban-150")[:-1]
    later = events_of_a_hand(replace(first, hand=2), "cuban-150")
    made = proof(again, "cuban-150", [*dropped, HandDropped(1), *events_of_a_hand(again, "cuban-150"), *later])
    assert made.secret == again.secret.hex()
    assert list(faults_of_deal(made)) == []


def test_a_contribution_that_is_missing_counts_as_zeros() -> None:
    """The proof names it as such."""
    shuffle = ShuffleInputs("t-1", 2, b"a" * 32, (b"1" * 32, NO_CONTRIBUTION))
    events = [event for event in events_of_a_hand(shuffle, "cuban-150") if event != SeedContributed(2, 1, "00" * 32)]
    made = proof(shuffle, "cuban-150", events)
    assert made.contributions[1] == "00" * 32
    assert list(faults_of_deal(made)) == []


@pytest.mark.parametrize("seats", [2, 4])
def test_a_starting_draw_that_ties_is_drawn_again(seats: int) -> None:
    """A draw after one that decides, and none after a tie, are faults."""
    contributions = (NO_CONTRIBUTION,) * seats
    for number in range(200):
        shuffle = ShuffleInputs("t-1", 1, sha256(b"%d" % number).digest(), contributions)
        made = proof(shuffle, "cuban-150", events_of_a_hand(shuffle, "cuban-150"))
        if len(made.starting_draws) > 1:
            break
    assert list(faults_of_deal(made)) == []
    cut = replace(made, starting_draws=made.starting_draws[:1])
    assert "there is no further draw" in str(next(faults_of_deal(cut)))


SERVER = ShuffleInputs("t-1", 1, b"a" * 32, (b"1" * 32, b"2" * 32))


def wrong(made: ProofOfDeal) -> list[str | None]:
    """The fields that are wrong."""
    return [fault.field for fault in faults_of_deal(made)]


def test_a_first_hand_that_a_draw_decides_has_the_draw() -> None:
    """Without it the server would choose the starter."""
    made = proof(SERVER, "cuban-150", events_of_a_hand(SERVER, "cuban-150"))
    without = deal(SERVER, 0, EDITION.rulesets["cuban-150"])
    deals = (replace(made.deals[0], attempt=0, dealt=without.dealt, rest=without.boneyard),)
    assert "starting_draws" in wrong(replace(made, starting_draws=(), deals=deals))


def test_a_first_hand_that_was_dropped_is_started_by_the_draw_before() -> None:
    """The dropped shuffle is not published; the seat that drew the most starts, and no other one."""
    again = replace(SERVER, secret=b"b" * 32)
    for starter, drawn in ((0, ((6, 6), (0, 1))), (1, ((0, 1), (6, 6)))):
        events = _started_by(starter, again)
        made = proof_of_deal("t-1", 1, "cuban-150", EDITION.rulesets["cuban-150"], 2, events, drawn)
        assert (made.drawn_before, wrong(made)) == (drawn, [])
        assert wrong(replace(made, drawn_before=drawn[::-1])) == ["starter"]
        assert wrong(replace(made, drawn_before=((1, 1), (0, 2)))) == ["starter"]
        assert wrong(replace(made, drawn_before=None)) == ["starting_draws"]
        assert wrong(replace(made, hand=2))[0] == "drawn_before"


def _started_by(starter: int, shuffle: ShuffleInputs) -> list[TableEvent]:
    """A hand that is dealt at once, and led by a seat."""
    events = events_of_a_hand(shuffle, "cuban-150", started_by=starter)
    assert not any(isinstance(event, StartingDrawn) for event in events)
    return events


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_hand_is_dealt_anew_once_where_a_seat_had_the_doubles(times: int) -> None:
    """Otherwise the server could deal until it likes the tiles."""
    ruleset = EDITION.rulesets["cuban-150"]
    shuffle = replace(SERVER, hand=2)
    made = proof(shuffle, "cuban-150", events_of_a_hand(shuffle, "cuban-150", dealt_anew=True))
    assert wrong(made) == []
    doubles = max(sum(a == b for a, b in hand) for hand in made.deals[0].dealt)
    assert wrong(replace(made, reshuffle_doubles=doubles)) == []
    assert wrong(replace(made, reshuffle_doubles=doubles + 1)) == ["deals.1"]
    assert wrong(replace(made, reshuffle_doubles=0)) == ["deals.1"]
    more = [deal(shuffle, 1 + number, ruleset) for number in range(1, times + 1)]
    added = tuple(
        replace(made.deals[0], attempt=1 + number, dealt=one.dealt, rest=one.boneyard)
        for number, one in enumerate(more, 1)
    )
    assert wrong(replace(made, deals=made.deals + added)) == ["deals"]


def test_each_turn_is_legal() -> None:
    """A seat plays in its turn what fits; it passes and draws when it has to; a timeout is no fault."""
    made = proof(replace(SERVER, hand=2), "doscientos-200", events_of_a_hand(replace(SERVER, hand=2), "doscientos-200"))
    turns = made.turns
    first = turns[0]
    assert wrong(made) == []
    passed = replace(turns[1], tile=None, where=None)
    assert wrong(replace(made, turns=turns[:-1])) == ["turns"]
    assert wrong(replace(made, turns=(*turns, turns[-1]))) == [f"turns.{len(turns)}"]
    assert wrong(replace(made, turns=(first, passed))) == ["turns.1"]
    assert wrong(replace(made, turns=(first, replace(passed, where="timeout")))) == ["turns"]
    assert wrong(replace(made, turns=(replace(passed, seat=first.seat, where="timeout"),))) == ["turns.0"]
    assert wrong(replace(made, turns=(first, replace(turns[1], where="draw")))) == ["turns.1"]
    assert wrong(replace(made, turns=(first, replace(turns[1], seat=first.seat)))) == ["turns.1"]
