"""A match: given its events, when a command comes, then these events or this refusal."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from given import BEGAN, EDITION, NOW, Given, block, domino, opened, with_hands
from msgspec.structs import replace
from play import random_hand

from league.domain.hand import HandFacts
from league.domain.match import (
    BonusRecorded,
    ClosingTile,
    CorrectHand,
    CorrectResult,
    EndMatch,
    ForfeitMatch,
    HandCorrected,
    HandRecorded,
    HandTranscribed,
    ImportMatch,
    MatchEnded,
    MatchForfeited,
    MatchOpened,
    MatchReopened,
    MatchState,
    MatchVoided,
    OpeningPass,
    OpenMatch,
    PaseCorrido,
    RecordedHand,
    RecordHand,
    RecordResult,
    ReopenMatch,
    VoidMatch,
    evolve,
)
from league.domain.match_decider import record_hand
from league.domain.match_refusals import EarlierThanHandBefore, MatchOver, WrongHand
from league.domain.refusals import AlreadyExists, InTheFuture, InvalidInput, NotFound, WrongState
from league.domain.result import AnnouncedResult, match_after
from league.domain.transcript import Transcript, derive_facts

FIFTY = domino(0, (), 50)
LAST = domino(0, (), 150)


def opening(**changes: object) -> OpenMatch:
    plain = OpenMatch("m-1", "cuban-150", "1v1", "competitive", ("ana", "bea"), None, BEGAN)
    return replace(plain, **changes)


def recorded(number: int, facts: HandFacts) -> HandRecorded:
    return HandRecorded(
        number, facts.starter, facts.ended_by, facts.seat, facts.leftover, facts.closing, facts.drew, True, True
    )


# ---------------------------------------------------------------- open


def test_a_match_opens_with_its_facts() -> None:
    """The event has ruleset, mode, competition, seats and the starting draw, with unordered tiles."""
    Given().when(opening(starting_draw=((9, 1), (5, 5)))).then(
        MatchOpened("cuban-150", "1v1", "competitive", ("ana", "bea"), ((1, 9), (5, 5)))
    )


def test_a_match_is_opened_once() -> None:
    """A second match with its id is refused."""
    opened().when(opening()).refused(AlreadyExists, "match", "'m-1' already exists")


def test_a_match_needs_a_ruleset_that_the_edition_has() -> None:
    """An unknown ruleset is refused by name."""
    Given().when(opening(ruleset="canasta")).refused(NotFound, "ruleset", "there is no ruleset 'canasta'")


def test_a_match_needs_registered_players() -> None:
    """An unknown player is refused by seat."""
    Given().when(opening(seats=("ana", "zoe"))).refused(NotFound, "seats.1", "there is no player 'zoe'")


def test_nobody_plays_against_themselves() -> None:
    """A player on two seats is refused, also as their own partner."""
    Given().when(opening(seats=("ana", "ana"))).refused(InvalidInput, "seats.1", "against or with themselves")
    pair = opening(mode="2v2", seats=("ana", "bea", "ana", "dan"))
    Given().when(pair).refused(InvalidInput, "seats.2", "'ana' cannot play against or with themselves")


@pytest.mark.parametrize(
    ("name", "mode", "seats"),
    [("cuban-150", "1v1", 4), ("cuban-150", "2v2", 2), ("cuban-150", "1v1", 1), ("doscientos-100", "individuals", 2),
     ("cuban-150", "1v1", 0)],
)  # fmt: skip
def test_the_mode_says_how_many_play(name: str, mode: str, seats: int) -> None:
    """Two in 1v1, four in 2v2, three or four individuals."""
    players = ("ana", "bea", "coc", "dan")[:seats]
    Given().when(opening(ruleset=name, mode=mode, seats=players)).refused(InvalidInput, "seats", f"not by {seats}")


@pytest.mark.parametrize("seats", [3, 4])
def test_three_or_four_individuals_play_for_themselves(seats: int) -> None:
    """Each seat is a side."""
    match = opened("doscientos-100", seats, mode="individuals")
    assert len(match.played.sides) == seats


def test_partners_sit_opposite() -> None:
    """In 2v2 seats 0 and 2 are side 0."""
    assert opened(seats=4).played.sides == (("ana", "coc"), ("bea", "dan"))


@pytest.mark.parametrize(
    ("name", "mode", "said"),
    [
        ("cuban-150", "individuals", "not each on their own"),
        ("partnership-6", "1v1", "not one on one"),
        ("chiva-4", "individuals", "not each on their own"),
        ("dominican-200", "1v1", "not one on one"),
    ],
)
def test_a_ruleset_says_which_modes_it_knows(name: str, mode: str, said: str) -> None:
    """Another mode is refused."""
    Given().when(opening(ruleset=name, mode=mode)).refused(InvalidInput, "mode", said)


@pytest.mark.parametrize(
    ("draw", "at", "saying"),
    [
        (((9, 9),), "starting_draw", "2 tiles, one for each seat, not 1"),
        (((9, 9), (3, 12)), "starting_draw.1", "no tile [3, 12]"),
        (((9, 8), (8, 9)), "starting_draw.1", "is named twice"),
    ],
)
def test_an_impossible_starting_draw_is_refused(draw: object, at: str, saying: str) -> None:
    """A tile for each seat, of the set, and none twice."""
    Given().when(opening(starting_draw=draw)).refused(InvalidInput, at, saying)


def test_a_match_in_the_future_is_refused() -> None:
    """A time of play in the future is refused; the current time is allowed."""
    tomorrow = NOW + timedelta(days=1)
    Given().when(opening(played_at=tomorrow)).refused(InTheFuture, "played_at", "is in the future")
    assert Given().when(opening(played_at=NOW)).refusal is None


def test_a_time_needs_an_offset() -> None:
    """A time without an offset is refused."""
    Given().when(opening(played_at=datetime(2026, 3, 1))).refused(InvalidInput, "played_at", "offset")  # noqa: DTZ001


# ---------------------------------------------------------------- record a hand


def test_a_plain_hand_is_one_event() -> None:
    """Without a bonus fact the hand's event contains all facts."""
    opened().when(RecordHand("m-1", FIFTY)).then(recorded(1, FIFTY))


def test_hands_are_numbered() -> None:
    """The second hand is hand 2."""
    with_hands(opened(), FIFTY).when(RecordHand("m-1", domino(1, 40, ()))).then(recorded(2, domino(1, 40, ())))


def test_each_bonus_fact_is_an_event_before_its_hand() -> None:
    """The opening pass, each pase corrido and the closing tile; the hand then leaves the tile out."""
    facts = domino(0, (), 9, 9, 9, tile=(2, 5), both=True, opening=True, corridos=(2, 2))
    opened("dominican-200", 4).when(RecordHand("m-1", facts)).then(
        BonusRecorded(1, OpeningPass()),
        BonusRecorded(1, PaseCorrido(2)),
        BonusRecorded(1, PaseCorrido(2)),
        BonusRecorded(1, ClosingTile(facts.closing)),
        replace(recorded(1, facts), closing=None),
    )


@pytest.mark.parametrize(
    "facts",
    [domino(0, (), 9, both=True), domino(0, (), 9, both=True, equal=True), domino(0, (), 9, tile=(3, 3)),
     domino(0, (), 9, tile=(0, 0)), block(0, 8, 9, tile=(7, 7), equal=True)],
)  # fmt: skip
def test_a_closing_tile_that_may_earn_something_is_an_event(facts: HandFacts) -> None:
    """It fits both ends, leaves equal ends, is a double or the double blank."""
    first, second = opened().when(RecordHand("m-1", facts)).events
    assert first == BonusRecorded(1, ClosingTile(facts.closing))
    assert second.closing is None


@pytest.mark.parametrize(
    "facts",
    [
        FIFTY,
        domino(0, (), 9, both=True, equal=True, blocks=None, tile=None, opening=None, corridos=None),
        domino(1, 9, (), starter=None, corridos=(0, 0, 1)),
        block(None, 3, ((9, 9),), starter=1, opening=None),
        HandFacts(None, "block", None, (None, None), drew=()),
    ],
)
def test_facts_come_back_from_their_events(facts: HandFacts) -> None:
    """Folded facts equal the recorded ones; unknown stays unknown (but without a boneyard no seat drew)."""
    assert with_hands(opened(), facts).played.hands == (facts,)


def test_a_hand_by_its_turns_stores_them_apart() -> None:
    """The transcript is an event of its own, before the facts that follow from it."""
    turns = random_hand(1, EDITION.rulesets["cuban-150"], 2).transcript
    facts = derive_facts(turns, EDITION.rulesets["cuban-150"], 2)
    events = opened().when(RecordHand("m-1", transcript=turns)).events
    assert events == [HandTranscribed(1, turns), *opened().when(RecordHand("m-1", facts)).events]


def test_facts_beside_the_turns_have_to_agree() -> None:
    """Facts and turns that differ are refused together."""
    turns = random_hand(1, EDITION.rulesets["cuban-150"], 2).transcript
    facts = derive_facts(turns, EDITION.rulesets["cuban-150"], 2)
    assert opened().when(RecordHand("m-1", facts, turns)).refusal is None
    opened().when(RecordHand("m-1", FIFTY, turns)).refused(InvalidInput, "facts", "differ from what the turns give")


def test_impossible_turns_are_refused() -> None:
    """The hand is played through by the rules of the match."""
    turns = random_hand(1, EDITION.rulesets["cuban-150"], 2).transcript
    cut = Transcript(turns.dealt, turns.plays[:3])
    opened().when(RecordHand("m-1", transcript=cut)).refused(InvalidInput, "plays", "the hand is not over")


def test_a_hand_needs_facts_or_turns() -> None:
    """A hand without both is refused."""
    opened().when(RecordHand("m-1")).refused(InvalidInput, "facts", "needs its facts or its turns")


def test_impossible_facts_are_refused() -> None:
    """The facts are checked against the ruleset of the match."""
    opened().when(RecordHand("m-1", domino(0, 5, 5))).refused(
        InvalidInput, "leftover.0", "the player at this seat went out"
    )


def test_a_hand_of_a_match_that_is_not_there_is_refused() -> None:
    """The match must be opened first."""
    Given().when(RecordHand("m-9", FIFTY)).refused(NotFound, "match", "there is no match 'm-9'")


def test_the_hand_that_reaches_the_target_ends_the_match() -> None:
    """The end of the match is an event of its own, right after the hand."""
    opened().when(RecordHand("m-1", LAST)).then(recorded(1, LAST), MatchEnded(None))


def test_a_hand_after_the_end_is_refused_with_when_and_by_which_hand() -> None:
    """Live play stops with the hand that reached the target."""
    outcome = with_hands(opened(), FIFTY, LAST).when(RecordHand("m-1", FIFTY))
    outcome.refused(MatchOver, None, "match 'm-1' ended by hand 2 at 2026-03-01 20:03:00+00:00")


def test_a_hand_with_a_number_is_recorded_only_as_that_hand() -> None:
    """The next number is accepted; one that is recorded already, or that leaves a gap, is refused with the next one."""
    before = with_hands(opened(), FIFTY)
    before.when(RecordHand("m-1", FIFTY, hand=2)).then(recorded(2, FIFTY))
    before.when(RecordHand("m-1", FIFTY, hand=1)).refused(
        WrongHand, "hand", "is recorded already; the next one is hand 2"
    )
    for number in (0, 3):
        before.when(RecordHand("m-1", FIFTY, hand=number)).refused(WrongHand, "hand", "is not the next one")


def test_a_hand_before_the_match_began_is_refused() -> None:
    """A hand in the future is refused too."""
    early = RecordHand("m-1", FIFTY, played_at=BEGAN - timedelta(seconds=1))
    opened().when(early).refused(InvalidInput, "played_at", "before the match began")
    opened().when(RecordHand("m-1", FIFTY, played_at=NOW + timedelta(days=1))).refused(
        InTheFuture, "played_at", "is in the future"
    )


# ---------------------------------------------------------------- correct a hand


def test_a_correction_replaces_the_facts_of_a_hand() -> None:
    """Score and everything after follow."""
    match = with_hands(opened(), FIFTY, domino(1, 70, ()))
    mistyped = CorrectHand("m-1", 1, domino(0, (), 60), "a six, not a five")
    match.when(mistyped).then(HandCorrected(1, domino(0, (), 60), "a six, not a five"))
    assert match.then_when(mistyped).result.score == (60, 70)


def test_a_correction_replaces_the_bonuses_of_its_hand() -> None:
    """No pase corrido is left over from before."""
    before = with_hands(opened("dominican-200", 4), domino(0, (), 9, 9, 9, corridos=(1, 1)))
    after = before.then_when(CorrectHand("m-1", 1, domino(0, (), 9, 9, 9), "none"))
    assert (before.result.score, after.result.score) == ((18, 50), (18, 0))


def test_a_correction_that_reaches_the_target_ends_the_match() -> None:
    """The match was over all along."""
    match = with_hands(opened(), FIFTY)
    match.when(CorrectHand("m-1", 1, LAST, "more")).then(HandCorrected(1, LAST, "more"), MatchEnded(None))


def test_a_correction_that_takes_the_end_away_leaves_a_match_cut_short() -> None:
    """Play stopped all the same; reopening takes the end back."""
    match = with_hands(opened(), LAST).then_when(CorrectHand("m-1", 1, FIFTY, "less"))
    assert (match.result.status, match.result.winner) == ("cut_short", 0)
    reopened = match.then_when(ReopenMatch("m-1", "they play on"))
    assert reopened.result.status == "open"
    assert with_hands(reopened, domino(1, 150, ())).result.winner == 1


def test_a_correction_that_takes_the_end_away_may_reopen_the_match() -> None:
    """Play goes on after it. Where the hands still end the match, or a side gave up, nothing is reopened."""
    over = with_hands(opened(), LAST)
    less = CorrectHand("m-1", 1, FIFTY, "less", reopens=True)
    over.when(less).then(HandCorrected(1, FIFTY, "less"), MatchReopened("less"))
    assert over.then_when(less).result.status == "open"
    still = domino(0, (), 151)
    over.when(CorrectHand("m-1", 1, still, "more", reopens=True)).then(HandCorrected(1, still, "more"))
    for before in (with_hands(opened(), FIFTY), with_hands(opened(), FIFTY).then_when(ForfeitMatch("m-1", 0))):
        other = domino(0, (), 60)
        before.when(CorrectHand("m-1", 1, other, "x", reopens=True)).then(HandCorrected(1, other, "x"))


def test_a_match_is_scored_as_it_stands_after_a_hand() -> None:
    """A correction counts with the hands after it; a hand that reaches the target ends an open match."""
    facts = with_hands(opened(), FIFTY, domino(1, 70, ()), domino(0, (), 100)).match.played
    assert facts is not None
    ruleset = EDITION.rulesets["cuban-150"]
    less = match_after(domino(0, (), 20), 1, facts, ruleset)
    assert (less.score, less.last_hand, less.status) == ((120, 70), None, "cut_short")
    running = with_hands(opened(), FIFTY).match.played
    assert running is not None
    over = match_after(domino(0, (), 100), 2, running, ruleset)
    assert (over.score, over.last_hand, over.status) == ((150, 0), 2, "completed")
    on = match_after(domino(0, (), 99), 2, running, ruleset)
    assert (on.score, on.last_hand, on.status) == ((149, 0), None, "open")


def test_a_correction_may_end_a_match_earlier() -> None:
    """Hands after the new end are kept and count for nothing."""
    match = with_hands(opened(), FIFTY, domino(1, 70, ()), domino(0, (), 100))
    corrected = match.then_when(CorrectHand("m-1", 1, domino(1, 150, ()), "the other way round"))
    assert (corrected.result.winner, corrected.result.last_hand) == (1, 1)
    assert [hand.counted for hand in corrected.result.hands] == [True, False, False]


def test_a_correction_is_the_event_that_its_hand_rests_on() -> None:
    """Positions: hand 1 now rests on event 4, hand 2 still on event 3."""
    match = with_hands(opened(), FIFTY, FIFTY).then_when(CorrectHand("m-1", 1, domino(0, (), 60), "typo"))
    assert match.match.hand_positions == (4, 3)


@pytest.mark.parametrize("hand", [0, 2, -1])
def test_only_a_recorded_hand_can_be_corrected(hand: int) -> None:
    """Hand 2 of a match with one hand is not found."""
    with_hands(opened(), FIFTY).when(CorrectHand("m-1", hand, LAST, "?")).refused(NotFound, "hand", f"no hand {hand}")


def test_a_correction_that_changes_nothing_is_refused() -> None:
    """The hand is recorded with these facts already."""
    with_hands(opened(), FIFTY).when(CorrectHand("m-1", 1, FIFTY, "?")).refused(InvalidInput, "facts", "already")


def test_a_correction_with_impossible_facts_is_refused() -> None:
    """Facts are checked as when a hand is recorded."""
    command = CorrectHand("m-1", 1, domino(0, (), ((10, 1),)), "?")
    with_hands(opened(), FIFTY).when(command).refused(InvalidInput, "leftover.1.0", "no tile [10, 1]")


# ---------------------------------------------------------------- end, result, reopen


def test_play_may_stop_before_the_target() -> None:
    """A match that is ended by command is cut short."""
    match = with_hands(opened(), FIFTY)
    match.when(EndMatch("m-1", AnnouncedResult(0, (50, 0)))).then(MatchEnded(AnnouncedResult(0, (50, 0))))
    assert match.then_when(EndMatch("m-1")).result.status == "cut_short"


def test_a_match_in_which_no_hand_was_won_cannot_be_ended() -> None:
    """Such a match would have no winner."""
    opened().when(EndMatch("m-1")).refused(WrongState, None, "no hand has been won")


def test_a_match_ends_once() -> None:
    """After the end no hand, result or forfeit is accepted."""
    over = with_hands(opened(), LAST)
    for command in (EndMatch("m-1"), RecordResult("m-1", AnnouncedResult(0)), ForfeitMatch("m-1", 0)):
        over.when(command).refused(MatchOver, None, "ended by hand 1")


def test_a_match_cannot_end_before_it_began() -> None:
    """Its end has a time of play too."""
    early = EndMatch("m-1", played_at=BEGAN - timedelta(minutes=1))
    with_hands(opened(), FIFTY).when(early).refused(InvalidInput, "played_at", "before the match began")


def test_a_result_is_recorded_for_a_match_without_hands() -> None:
    """The announced result is then the result of the match."""
    match = opened().then_when(RecordResult("m-1", AnnouncedResult(1, (90, 150))))
    assert (match.result.status, match.result.winner, match.result.score) == ("announced", 1, (90, 150))


def test_a_result_beside_recorded_hands_is_refused() -> None:
    """The result follows from the hands."""
    command = RecordResult("m-1", AnnouncedResult(1, (90, 150)))
    with_hands(opened(), FIFTY).when(command).refused(WrongState, None, "its result follows from them")


@pytest.mark.parametrize(
    ("announced", "at", "saying"),
    [
        (AnnouncedResult(2, None), "announced.winner", "there is no side 2"),
        (AnnouncedResult(-1, None), "announced.winner", "there is no side -1"),
        (AnnouncedResult(0, (1, 2, 3)), "announced.score", "2 entries, one for each side, not 3"),
        (AnnouncedResult(0, (150, -1)), "announced.score.1", "a score is 0 to"),
        (AnnouncedResult(0, (90, 150)), "announced.winner", "another side has the higher score"),
    ],
)
def test_an_impossible_announcement_is_refused(announced: AnnouncedResult, at: str, saying: str) -> None:
    """Sides that do not exist, impossible scores, and a winner with the lower score are refused."""
    opened().when(RecordResult("m-1", announced)).refused(InvalidInput, at, saying)


def test_a_chiva_has_no_score_to_announce() -> None:
    """The rules of a chiva have no score."""
    command = RecordResult("m-1", AnnouncedResult(0, (4, 0)))
    opened("chiva-4").when(command).refused(InvalidInput, "announced.score", "no score")


def test_an_announcement_beside_hands_may_be_mistaken() -> None:
    """It is evidence, and no fold reads it."""
    match = with_hands(opened(), FIFTY).then_when(EndMatch("m-1", AnnouncedResult(1, (100, 0))))
    assert match.result.winner == 0


def test_a_match_that_was_ended_too_early_can_be_reopened() -> None:
    """Play goes on, and hands count again."""
    over = with_hands(opened(), FIFTY).then_when(EndMatch("m-1"))
    over.when(ReopenMatch("m-1", "a break")).then(MatchReopened("a break"))
    match = over.then_when(ReopenMatch("m-1", "a break"))
    assert (match.result.status, match.match.decided_position) == ("open", None)
    assert with_hands(match, domino(0, (), 100)).result.status == "completed"


def test_a_recorded_result_can_be_taken_back() -> None:
    """Reopening the match removes the announcement."""
    match = opened().then_when(RecordResult("m-1", AnnouncedResult(1))).then_when(ReopenMatch("m-1", "wrong table"))
    assert (match.played.announced, match.result.status) == (None, "open")


def test_a_recorded_result_is_corrected_in_one_step() -> None:
    """The end is taken back and stored anew. The recorded result again, a match in play or with hands is refused."""
    match = opened().then_when(RecordResult("m-1", AnnouncedResult(1, (90, 150))))
    right = AnnouncedResult(0, (150, 90))
    match.when(CorrectResult("m-1", right, "sides mixed up")).then(MatchReopened("sides mixed up"), MatchEnded(right))
    again = match.then_when(CorrectResult("m-1", right, "sides mixed up"))
    assert (again.result.winner, again.result.score) == (0, (150, 90))
    again.when(CorrectResult("m-1", right, "?")).refused(InvalidInput, "announced", "the result that is recorded")
    opened().when(CorrectResult("m-1", right, "?")).refused(WrongState, None, "no end to take back")
    over = with_hands(opened(), FIFTY).then_when(EndMatch("m-1"))
    over.when(CorrectResult("m-1", right, "?")).refused(WrongState, None, "correct the hand")


def test_an_open_match_cannot_be_reopened() -> None:
    """There is no end to take back."""
    opened().when(ReopenMatch("m-1", "?")).refused(WrongState, None, "no end to take back")


def test_a_match_that_its_hands_have_ended_cannot_be_reopened() -> None:
    """The refusal asks to correct the hand first."""
    with_hands(opened(), LAST).when(ReopenMatch("m-1", "?")).refused(WrongState, None, "hand 1 ended it")


# ---------------------------------------------------------------- forfeit, void


def test_a_side_can_give_up() -> None:
    """The other side has won."""
    match = with_hands(opened(), FIFTY)
    match.when(ForfeitMatch("m-1", 0)).then(MatchForfeited(0))
    assert match.then_when(ForfeitMatch("m-1", 0)).result.winner == 1


@pytest.mark.parametrize("side", [2, -1])
def test_only_a_side_that_plays_can_give_up(side: int) -> None:
    """Any other side than 0 and 1 is refused."""
    opened().when(ForfeitMatch("m-1", side)).refused(InvalidInput, "side", f"there is no side {side}")


def test_one_of_several_individuals_can_give_up() -> None:
    """The scores of the others decide who won."""
    match = opened("doscientos-100", 3)
    match.when(ForfeitMatch("m-1", 2)).then(MatchForfeited(2))
    match.when(ForfeitMatch("m-1", 3)).refused(InvalidInput, "side", "there is no side 3: the sides are 0 to 2")


def test_a_forfeited_match_cannot_be_reopened() -> None:
    """It can only be voided."""
    match = opened().then_when(ForfeitMatch("m-1", 0))
    match.when(ReopenMatch("m-1", "?")).refused(WrongState, None, "void it and open another")
    match.when(VoidMatch("m-1", "never played")).then(MatchVoided("never played"))


def test_a_voided_match_is_void_for_good() -> None:
    """Nothing more can be done with it."""
    match = with_hands(opened(), FIFTY).then_when(VoidMatch("m-1", "wrong players"))
    assert match.result.status == "voided"
    for command in (
        RecordHand("m-1", FIFTY), CorrectHand("m-1", 1, LAST, "?"), EndMatch("m-1"), ReopenMatch("m-1", "?"),
        ForfeitMatch("m-1", 0), VoidMatch("m-1", "?"), RecordResult("m-1", AnnouncedResult(0)),
    ):  # fmt: skip
        match.when(command).refused(WrongState, None, "a voided match cannot be changed")


@pytest.mark.parametrize(
    "command",
    [CorrectHand("m-9", 1, FIFTY, "?"), EndMatch("m-9"), RecordResult("m-9", AnnouncedResult(0)),
     ReopenMatch("m-9", "?"), ForfeitMatch("m-9", 0), VoidMatch("m-9", "?")],
)  # fmt: skip
def test_a_match_that_is_not_there_is_refused(command: object) -> None:
    """The refusal names its id."""
    Given().when(command).refused(NotFound, "match", "there is no match 'm-9'")


# ---------------------------------------------------------------- import


def test_an_imported_match_ends_where_its_hands_say() -> None:
    """Nothing was announced, but the target was reached."""
    Given().when(ImportMatch(opening(), (RecordedHand(LAST),), None)).then(
        MatchOpened("cuban-150", "1v1", "competitive", ("ana", "bea"), None), recorded(1, LAST), MatchEnded(None)
    )


def test_hands_after_the_end_are_kept_in_an_import() -> None:
    """The end is recorded once, after all hands, with the announced result."""
    hands = (RecordedHand(LAST), RecordedHand(FIFTY))
    Given().when(ImportMatch(opening(), hands, AnnouncedResult(0, (200, 0)))).then(
        MatchOpened("cuban-150", "1v1", "competitive", ("ana", "bea"), None),
        recorded(1, LAST), recorded(2, FIFTY), MatchEnded(AnnouncedResult(0, (200, 0))),
    )  # fmt: skip


def test_an_imported_match_of_which_nobody_knows_the_end_stays_open() -> None:
    """Its end condition does not hold and nothing was announced."""
    match = Given().then_when(ImportMatch(opening(), (RecordedHand(FIFTY),), None))
    assert match.result.status == "open"


def test_an_imported_match_that_was_announced_early_is_cut_short() -> None:
    """It is over, though its end condition never held."""
    match = Given().then_when(ImportMatch(opening(), (RecordedHand(FIFTY),), AnnouncedResult(0, (50, 0))))
    assert match.result.status == "cut_short"


def test_an_imported_match_may_have_no_hands() -> None:
    """It must then have a possible announcement."""
    match = Given().then_when(ImportMatch(opening(), (), AnnouncedResult(1, (20, 150))))
    assert match.result.status == "announced"
    Given().when(ImportMatch(opening(), (), AnnouncedResult(0, (20, 150)))).refused(
        InvalidInput, "announced.winner", "another side has the higher score"
    )


def test_an_import_is_refused_like_an_opening() -> None:
    """Unknown players, impossible seats and times in the future."""
    unknown = opening(seats=("ana", "zoe"))
    Given().when(ImportMatch(unknown, (), AnnouncedResult(0))).refused(NotFound, "seats.1", "no player 'zoe'")
    later = opening(played_at=NOW + timedelta(hours=1))
    Given().when(ImportMatch(later, (), AnnouncedResult(0))).refused(InTheFuture, "played_at", "is in the future")


# ---------------------------------------------------------------- times


def test_a_match_began_when_it_was_opened_and_was_decided_when_it_ended() -> None:
    """A match has these two times."""
    match = with_hands(opened(), FIFTY, domino(0, (), 100))
    assert match.played.began_at == BEGAN
    assert match.played.ended_at == BEGAN + timedelta(minutes=3)
    assert match.match.decided_position == 4


def test_the_position_of_a_voided_match_is_that_of_its_void() -> None:
    """This holds for decided and for open matches."""
    for match in (with_hands(opened(), FIFTY), with_hands(opened(), FIFTY, domino(0, (), 100))):
        before = match.match.decided_position
        voided = match.then_when(VoidMatch("m-1", "wrong players")).match.decided_position
        assert voided is not None
        assert before is None or voided == before + 1


# ---------------------------------------------------------------- the order of hands


def test_a_hand_that_ended_before_the_one_before_it_is_refused_with_that_time() -> None:
    state = evolve(evolve(MatchState(), _opened_event(), BEGAN, 1), recorded(1, FIFTY), BEGAN + timedelta(hours=1), 2)
    early = RecordHand("m-1", FIFTY, played_at=BEGAN + timedelta(minutes=30))
    with pytest.raises(EarlierThanHandBefore) as refused:
        record_hand(early, state, EDITION, NOW)
    assert (refused.value.field, refused.value.hand) == ("played_at", 1)
    assert refused.value.time == BEGAN + timedelta(hours=1)
    assert record_hand(replace(early, out_of_order=True), state, EDITION, NOW)
    assert record_hand(replace(early, played_at=None), state, EDITION, NOW)
    assert record_hand(replace(early, played_at=BEGAN + timedelta(hours=1)), state, EDITION, NOW)


def _opened_event() -> MatchOpened:
    return MatchOpened("cuban-150", "1v1", "competitive", ("ana", "bea"), None)
