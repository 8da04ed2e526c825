"""Decides the commands on a match: from a command and the state of the match, events or a refusal."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial

from msgspec.structs import replace

from league.domain.collected_refusals import Faults
from league.domain.hand import HandFacts, spelled, with_statement_of
from league.domain.hand_faults import checked, complete, faults_of_statement
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
    MatchEvent,
    MatchForfeited,
    MatchOpened,
    MatchReopened,
    MatchState,
    MatchTakenToTable,
    MatchVoided,
    OpeningPass,
    OpenMatch,
    PaseCorrido,
    RecordedHand,
    RecordHand,
    RecordResult,
    ReopenMatch,
    VoidMatch,
)
from league.domain.match_faults import (
    faults_of_announced,
    faults_of_count,
    faults_of_forfeit,
    faults_of_import,
    faults_of_opening,
    faults_of_time,
)
from league.domain.match_refusals import EarlierThanHandBefore, MatchOver, WrongHand
from league.domain.refusals import AlreadyExists, InvalidInput, NotFound, Refusal
from league.domain.result import MatchFacts, result_of
from league.domain.rules import Rulebook, Ruleset
from league.domain.sentences import say
from league.domain.texts_and_times import check_readable, faults_of_text
from league.domain.tiles import Tile, is_double, ordered
from league.domain.transcript import Transcript, derive_facts
from league.domain.wrong_states import (
    EndedByHand,
    HandsAreRecorded,
    MatchHasBegun,
    MatchIsForfeited,
    MatchIsVoided,
    NoHandWon,
    NothingToReopen,
)


def open_match(
    command: OpenMatch, state: MatchState, rulebook: Rulebook, players: frozenset[str], now: datetime
) -> list[MatchEvent]:
    """Open a match. `players`: the seated players that the league knows.

    Raises AlreadyExists, NotFound (ruleset, player), InvalidInput, InTheFuture.
    """
    if state.played is not None:
        raise AlreadyExists("match", "match", command.match)
    Faults.check(faults_of_opening(command, rulebook, players, now))
    return [_opened(command)]


def take_to_table(
    match: str, starting_draw: tuple[Tile, ...] | None, state: MatchState, rulebook: Rulebook
) -> list[MatchEvent]:
    """Move an open match without hands to the live table of the same id.

    Raises NotFound, MatchOver, WrongState.
    """
    played, _ = _in_play(match, state, rulebook)
    if played.hands or played.starting_draw is not None:
        raise MatchHasBegun(
            _subject(match), say("being played"), say("a live table plays a match from its first hand on")
        )
    if state.live:
        raise AlreadyExists("match", "table", match)
    return [MatchTakenToTable(starting_draw)]


def record_hand(command: RecordHand, state: MatchState, rulebook: Rulebook, now: datetime) -> list[MatchEvent]:
    """Record the next hand, and the end of the match if the hand reaches it.

    Raises NotFound, MatchOver, WrongHand, WrongState, InvalidInput, InTheFuture.
    """
    played, ruleset = _in_play(command.match, state, rulebook)
    before = result_of(played, ruleset)
    if before.last_hand is not None:
        raise MatchOver(command.match, None, before.last_hand)
    number = len(played.hands) + 1
    if command.hand not in (None, number):
        raise WrongHand(command.match, command.hand, number)
    read = partial(_hand_given, command.facts, command.transcript, ruleset, played)
    if faults := [*_faults_of_hand_time(command, number, state, played, now), *faults_of_count(number)]:
        Faults.check([*faults, *Faults.found_by(read)])
    return _recorded(read(), played, ruleset)


def _faults_of_hand_time(
    command: RecordHand, number: int, state: MatchState, played: MatchFacts, now: datetime
) -> Iterator[Refusal]:
    """The reason why this hand cannot have ended at the command's time; at most one."""
    faults = [*faults_of_time(command.played_at, now, not_before=played.began_at)]
    yield from faults
    before = state.last_hand_at
    if faults or command.out_of_order or command.played_at is None or before is None:
        return
    if command.played_at < before:
        yield EarlierThanHandBefore("played_at", hand=number - 1, time=before)


def play_hand(facts: HandFacts, state: MatchState, ruleset: Ruleset) -> list[MatchEvent]:
    """Record a hand that a live table played under `ruleset`, and the end of the match if the hand reaches it."""
    played = state.played
    assert played is not None, "the table has opened its match"
    return _recorded(RecordedHand(facts), played, ruleset)


def _recorded(hand: RecordedHand, played: MatchFacts, ruleset: Ruleset) -> list[MatchEvent]:
    """The events of the next hand, and the end of the match if the hand reaches it."""
    after = replace(played, hands=(*played.hands, hand.facts))
    events = _hand_events(len(after.hands), hand)
    if result_of(after, ruleset).last_hand is not None:
        events.append(MatchEnded(None))
    return events


def correct_hand(command: CorrectHand, state: MatchState, rulebook: Rulebook) -> list[MatchEvent]:
    """Replace the facts of a hand. The score and everything after it follow from the new facts.

    A match that has ended stays ended, even if no hand reaches its end condition now; with `reopens` it goes on.
    Returns no events if the facts stay the same and the command only adds photos as evidence. Raises NotFound,
    WrongState, InvalidInput.
    """
    played, ruleset = _known(command.match, state, rulebook)
    if not 1 <= command.hand <= len(played.hands):
        raise NotFound("hand", "hand", str(command.hand))
    read = partial(checked, command.facts, ruleset, played.mode, len(played.seats))
    if faults := [*faults_of_text("reason", command.reason, with_lines=True)]:
        Faults.check([*faults, *Faults.found_by(read)])
    facts = read()
    if facts == played.hands[command.hand - 1]:
        if command.photos and command.settles is None:
            return []
        raise InvalidInput("facts", say("hand {hand} is already recorded with these facts", hand=command.hand))
    events: list[MatchEvent] = [HandCorrected(command.hand, facts, command.reason)]
    hands = (*played.hands[: command.hand - 1], facts, *played.hands[command.hand :])
    is_over = result_of(replace(played, hands=hands), ruleset).last_hand is not None
    if is_over and played.ended_at is None:
        events.append(MatchEnded(None))
    if command.reopens and not is_over and played.ended_at is not None and played.forfeited_by is None:
        events.append(MatchReopened(command.reason))
    return events


def end_match(command: EndMatch, state: MatchState, rulebook: Rulebook, now: datetime) -> list[MatchEvent]:
    """End a match because play stopped. It is cut short if its end condition does not hold.

    Raises NotFound, MatchOver, WrongState, InvalidInput, InTheFuture.
    """
    played, ruleset = _in_play(command.match, state, rulebook)
    announced, sides = command.announced, len(played.sides)
    of_announced = () if announced is None else faults_of_announced(announced, ruleset, sides, is_evidence=True)
    Faults.check([*of_announced, *faults_of_time(command.played_at, now, not_before=played.began_at)])
    if result_of(replace(played, ended_at=now), ruleset).winner is None:
        reason = say("no hand has been won; record its result, or void it")
        raise NoHandWon(_subject(command.match), say("in play"), reason)
    return [MatchEnded(command.announced)]


def record_result(command: RecordResult, state: MatchState, rulebook: Rulebook, now: datetime) -> list[MatchEvent]:
    """Record the announced result of a match without hands.

    Raises NotFound, MatchOver, WrongState, InvalidInput, InTheFuture.
    """
    played, ruleset = _in_play(command.match, state, rulebook)
    if played.hands:
        reason = say("its hands are recorded, so its result follows from them")
        raise HandsAreRecorded(_subject(command.match), say("in play"), reason)
    of_announced = faults_of_announced(command.announced, ruleset, len(played.sides), is_evidence=False)
    Faults.check([*of_announced, *faults_of_time(command.played_at, now, not_before=played.began_at)])
    return [MatchEnded(command.announced)]


def reopen_match(command: ReopenMatch, state: MatchState, rulebook: Rulebook) -> list[MatchEvent]:
    """Take back the end of a match. Raises NotFound, WrongState."""
    played, ruleset = _known(command.match, state, rulebook)
    subject = _subject(command.match)
    if played.ended_at is None:
        raise NothingToReopen(subject, say("in play"), say("there is no end to take back"))
    if played.forfeited_by is not None:
        raise MatchIsForfeited(subject, say("forfeited"), say("void it and open another"))
    hand = result_of(played, ruleset).last_hand
    if hand is not None:
        raise EndedByHand(subject, say("finished"), say("hand {hand} ended it; correct that hand first", hand=hand))
    check_readable("reason", command.reason, with_lines=True)
    return [MatchReopened(command.reason)]


def correct_result(command: CorrectResult, state: MatchState, rulebook: Rulebook) -> list[MatchEvent]:
    """Replace the announced result of a match without hands: take back its end, and end it again.

    Raises NotFound, WrongState, InvalidInput.
    """
    played, ruleset = _known(command.match, state, rulebook)
    if played.hands:
        reason = say("its hands are recorded, so its result follows from them: correct the hand")
        raise HandsAreRecorded(_subject(command.match), say("finished"), reason)
    of_announced = faults_of_announced(command.announced, ruleset, len(played.sides), is_evidence=False)
    Faults.check([*of_announced, *faults_of_text("reason", command.reason, with_lines=True)])
    reopened = reopen_match(ReopenMatch(command.match, command.reason), state, rulebook)
    if command.announced == played.announced:
        raise InvalidInput("announced", say("this is the result that is recorded"))
    return [*reopened, MatchEnded(command.announced)]


def forfeit_match(command: ForfeitMatch, state: MatchState, rulebook: Rulebook, now: datetime) -> list[MatchEvent]:
    """Let a side give up the match. Raises NotFound, MatchOver, WrongState, InvalidInput, InTheFuture."""
    played, _ = _in_play(command.match, state, rulebook)
    of_side = faults_of_forfeit("side", command.side, len(played.sides))
    Faults.check([*of_side, *faults_of_time(command.played_at, now, not_before=played.began_at)])
    return [MatchForfeited(command.side)]


def void_match(command: VoidMatch, state: MatchState, rulebook: Rulebook) -> list[MatchEvent]:
    """Void a match. Raises NotFound, WrongState."""
    _known(command.match, state, rulebook)
    check_readable("reason", command.reason, with_lines=True)
    return [MatchVoided(command.reason)]


def import_match(command: ImportMatch, rulebook: Rulebook, players: frozenset[str], now: datetime) -> list[MatchEvent]:
    """Import a whole recorded match. Hands after its end are stored but count for nothing.

    Raises NotFound, InvalidInput, InTheFuture, or Faults for several. Paths are relative to the match.
    """
    opening = command.opening
    assert opening.played_at is not None, "a recorded match has a time"
    Faults.check(faults_of_import(command, len(command.hands), rulebook, players, now))
    events = [_opened(opening)]
    ruleset = rulebook.rulesets[opening.ruleset]
    for number, hand in enumerate(command.hands, 1):
        events += _hand_events(number, hand)
    facts = tuple(hand.facts for hand in command.hands)
    played = MatchFacts(
        opening.ruleset,
        opening.mode,
        opening.competition,
        opening.seats,
        opening.starting_draw,
        opening.played_at,
        facts,
    )
    # The match is over if a side gave up, a result was announced, or the end condition holds.
    if command.forfeited_by is not None:
        events.append(MatchForfeited(command.forfeited_by, command.announced))
    elif command.announced is not None or result_of(played, ruleset).last_hand is not None:
        events.append(MatchEnded(command.announced))
    return events


def _opened(command: OpenMatch) -> MatchEvent:
    draw = command.starting_draw and tuple(ordered(tile) for tile in command.starting_draw)
    return MatchOpened(command.ruleset, command.mode, command.competition, command.seats, draw)


def _subject(match: str) -> str:
    return say("match {match!r}", match=match)


def _known(match: str, state: MatchState, rulebook: Rulebook) -> tuple[MatchFacts, Ruleset]:
    if state.played is None:
        raise NotFound("match", "match", match)
    if state.played.voided:
        raise MatchIsVoided(_subject(match), say("voided"), say("a voided match cannot be changed"))
    return state.played, rulebook.rulesets[state.played.ruleset]


def _in_play(match: str, state: MatchState, rulebook: Rulebook) -> tuple[MatchFacts, Ruleset]:
    played, ruleset = _known(match, state, rulebook)
    if played.ended_at is not None:
        raise MatchOver(match, played.ended_at, result_of(played, ruleset).last_hand)
    return played, ruleset


def _hand_given(
    facts: HandFacts | None, transcript: Transcript | None, ruleset: Ruleset, played: MatchFacts
) -> RecordedHand:
    mode, seats = played.mode, len(played.seats)
    if transcript is not None:
        derived = derive_facts(transcript, ruleset, seats)
        if facts is not None:
            derived = with_statement_of(facts, derived)
            if spelled(complete(facts, ruleset, mode)) != derived:
                raise InvalidInput("facts", say("the facts differ from what the turns give; send one of the two"))
            Faults.check(faults_of_statement(derived, mode, seats))
        return RecordedHand(derived, transcript)
    if facts is None:
        raise InvalidInput("facts", say("a hand needs its facts or its turns"))
    return RecordedHand(checked(facts, ruleset, mode, seats))


def _hand_events(number: int, hand: RecordedHand) -> list[MatchEvent]:
    """The transcript if there is one, each bonus fact, then the hand. Each fact is in one event only."""
    facts, closing = hand.facts, hand.facts.closing
    events: list[MatchEvent] = []
    if hand.transcript is not None:
        events.append(HandTranscribed(number, hand.transcript))
    if facts.opening_pass:
        events.append(BonusRecorded(number, OpeningPass()))
    events += [BonusRecorded(number, PaseCorrido(seat)) for seat in facts.corridos or ()]
    for side, count in enumerate(facts.side_corridos or ()):
        events += [BonusRecorded(number, PaseCorrido(None, side))] * count
    double = closing.tile is not None and is_double(closing.tile)
    is_bonus = bool(closing.fits_both_ends or closing.ends_equal or double)
    if is_bonus:
        events.append(BonusRecorded(number, ClosingTile(closing)))
    events.append(
        HandRecorded(
            hand=number,
            starter=facts.starter,
            ended_by=facts.ended_by,
            seat=facts.seat,
            leftover=facts.leftover,
            closing=None if is_bonus else closing,
            drew=facts.drew,
            opening_pass_known=facts.opening_pass is not None,
            corridos_known=facts.corridos is not None,
            side_leftover=facts.side_leftover,
            stated_winner=facts.stated_winner,
            stated_capicua=facts.stated_capicua,
        )
    )
    return events
