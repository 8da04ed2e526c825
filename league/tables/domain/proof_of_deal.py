"""The finished hands of a table, and the proof with which anybody can check the deal of a hand.

The proof has the published secret, the contributions of the players, and the deal. `docs/verify-deal.md` describes the
document for people who write their own checker. A finished hand is read from the events of its table, since nothing in
it is secret any more.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Annotated, Final, Literal, cast

from msgspec import Meta, Struct

from league.domain.dealing import (
    NO_CONTRIBUTION,
    DealtTiles,
    ShuffleInputs,
    deal,
    dealt_of,
    drawn_starter,
    leading_tile,
    shuffled,
    starting_draw,
)
from league.domain.match_refusals import TileDoesNotFit, TileNotHeld
from league.domain.play import End, HandInPlay, Maker, TakenTurn, Turn
from league.domain.refusals import InvalidInput
from league.domain.rules import Ruleset
from league.domain.sentences import say
from league.domain.tiles import SetName, Tile, is_double, ordered, tile_set
from league.tables.domain.commands_and_events import (
    HandDealt,
    HandEnded,
    PlayBegan,
    SeedContributed,
    ShuffleCommitted,
    StartingDrawn,
    TableEvent,
    TableOpened,
    TileDrawn,
    TilePlayed,
    TurnPassed,
)

FORMAT: Final = "league-deal/1"
MOST_DEALS = 2
"""Limit on deals per hand, because a hand is dealt anew at most once."""

Bytes32 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
"""32 bytes in hexadecimal, in lower case."""


class ProvenDraw(Struct, frozen=True, forbid_unknown_fields=True):
    """A starting draw: the tile of each seat."""

    attempt: int
    tiles: tuple[Tile, ...]


class ProvenDeal(Struct, frozen=True, forbid_unknown_fields=True):
    """A deal: the tiles of each seat in ascending order, and the rest in the order in which it is drawn."""

    attempt: int
    dealt: tuple[tuple[Tile, ...], ...]
    rest: tuple[Tile, ...]


class ProofOfDeal(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything about a hand that must agree with its secret."""

    format: Literal["league-deal/1"]
    table: str
    hand: Annotated[int, Meta(ge=1)]
    ruleset: str
    """The name of the ruleset, for people only. A checker reads the rules from the next five fields."""
    set: SetName
    tiles_each: Annotated[int, Meta(ge=1)]
    first_starter: Literal["starting_draw", "highest_double"]
    cannot_play: Literal["pass", "draw_until_playable", "draw_one"]
    reshuffle_doubles: Annotated[int, Meta(ge=0)]
    commitment: Bytes32
    secret: Bytes32
    contributions: tuple[Bytes32, ...]
    """The contribution of each seat, by seat; zeros if a seat added nothing."""
    starting_draws: tuple[ProvenDraw, ...]
    """The starting draws before a first hand, if a draw decides who starts. All but the last are ties."""
    drawn_before: tuple[Tile, ...] | None
    """The starting draw that counts if the first hand was dropped after it, by seat. It is not proven, because its
    secret is not known."""
    deals: tuple[ProvenDeal, ...]
    """The deals of the hand. The last one was played; an earlier one was dealt anew after a reshuffle."""
    starter: int
    turns: tuple[Turn, ...]
    """All turns, with the tile of each draw."""


def proof_of_deal(
    table: str,
    hand: int,
    ruleset_name: str,
    ruleset: Ruleset,
    seats: int,
    events: Sequence[TableEvent],
    drawn_before: tuple[Tile, ...] | None = None,
) -> ProofOfDeal:
    """Make the proof of a finished hand from the events of its table. Events of other hands are ignored.

    `drawn_before`: the last starting draw of the table before these events.
    """
    shuffled = [n for n, e in enumerate(events) if isinstance(e, ShuffleCommitted) and e.hand == hand]
    events = events[shuffled[-1] :]  # from the last shuffle on: a hand that could not be opened was shuffled again
    commitment = next(event.commitment for event in events if isinstance(event, ShuffleCommitted))
    secret = next(event.secret for event in events if isinstance(event, HandEnded) and event.hand == hand)
    given = {event.seat: event.contribution for event in events if isinstance(event, SeedContributed)}
    contributions = tuple(given.get(seat, NO_CONTRIBUTION.hex()) for seat in range(seats))
    shuffle = ShuffleInputs(table, hand, bytes.fromhex(secret), tuple(map(bytes.fromhex, contributions)))
    dealings = [event for event in events if isinstance(event, HandDealt) and event.hand == hand]
    deals = [(event.attempt, deal(shuffle, event.attempt, ruleset)) for event in dealings]
    draws = [event for event in events if isinstance(event, StartingDrawn) and hand == 1]
    return ProofOfDeal(
        format=FORMAT,
        table=table,
        hand=hand,
        ruleset=ruleset_name,
        set=ruleset.set,
        tiles_each=ruleset.tiles_each,
        first_starter=ruleset.first_starter,
        cannot_play=ruleset.cannot_play,
        reshuffle_doubles=ruleset.live.reshuffle_doubles,
        commitment=commitment,
        secret=secret,
        contributions=contributions,
        starting_draws=tuple(ProvenDraw(event.attempt, event.tiles) for event in draws),
        drawn_before=drawn_before if hand == 1 and not draws else None,
        deals=tuple(ProvenDeal(attempt, one.dealt, one.boneyard) for attempt, one in deals),
        starter=dealings[-1].starter,
        turns=_turns(hand, events, deals[-1][1]),
    )


def _turns(hand: int, events: Sequence[TableEvent], played: DealtTiles) -> tuple[Turn, ...]:
    undrawn, turns = iter(played.boneyard), list[Turn]()
    for event in events:
        match event:
            case TilePlayed() if event.hand == hand:
                turns.append(Turn(event.seat, event.tile, event.end))
            case TileDrawn() if event.hand == hand:
                turns.append(Turn(event.seat, next(undrawn), "draw"))
            case TurnPassed() if event.hand == hand:
                turns.append(Turn(event.seat, None, "timeout" if event.reason == "timeout" else None))
    return tuple(turns)


def faults_of_deal(proof: ProofOfDeal) -> Iterator[InvalidInput]:
    """List everything in a proof that does not follow from its secret, each with its field."""
    if sha256(bytes.fromhex(proof.secret)).hexdigest() != proof.commitment:
        yield InvalidInput("commitment", say("is not the SHA-256 of the secret"))
    seats = len(proof.contributions)
    if not 0 < seats * proof.tiles_each <= len(tile_set(proof.set).tiles):
        yield InvalidInput(
            "contributions",
            say(
                "{seats} hands of {tiles_each} tiles cannot be dealt of the set",
                seats=seats,
                tiles_each=proof.tiles_each,
            ),
        )
        return
    given = tuple(map(bytes.fromhex, proof.contributions))
    shuffle = ShuffleInputs(proof.table, proof.hand, bytes.fromhex(proof.secret), given)
    yield from _faults_of_draws(proof, shuffle)
    if not 0 <= proof.starter < seats:
        yield InvalidInput("starter", say("there is no seat {starter}", starter=proof.starter))
        return
    faults_of_deals = list(_faults_of_deals(proof, shuffle))
    yield from faults_of_deals
    if not faults_of_deals:
        yield from _faults_of_turns(proof)


def _faults_of_draws(proof: ProofOfDeal, shuffle: ShuffleInputs) -> Iterator[InvalidInput]:
    draws = proof.starting_draws
    by_draw = proof.hand == 1 and proof.first_starter == "starting_draw"
    if draws and not by_draw:
        yield InvalidInput("starting_draws", say("only a first hand has one, under rules with a starting draw"))
    if by_draw and not draws:
        yield from _faults_of_earlier_draw(proof, len(shuffle.contributions))
    elif proof.drawn_before is not None:
        yield InvalidInput(
            "drawn_before", say("there is one only where a first hand was dropped after its starting draw")
        )
    for number, draw in enumerate(draws):
        at, last = f"starting_draws.{number}", number == len(draws) - 1
        if draw.attempt != number:
            yield InvalidInput(
                f"{at}.attempt",
                say(
                    "is {attempt}, but the attempts are numbered from 0: {number}", attempt=draw.attempt, number=number
                ),
            )
            continue
        drawn = starting_draw(shuffle, number, proof.set)
        yield from _faults_of_tiles(f"{at}.tiles", draw.tiles, drawn)
        starter = drawn_starter(drawn)
        if last and starter is None:
            yield InvalidInput(f"{at}.tiles", say("two seats drew the most pips, and there is no further draw"))
        elif last and starter != proof.starter:
            yield InvalidInput(
                "starter",
                say(
                    "is seat {starter}, but seat {starter_2} drew the most pips",
                    starter=proof.starter,
                    starter_2=starter,
                ),
            )
        elif not last and starter is not None:
            yield InvalidInput(
                f"{at}.tiles",
                say("seat {starter} alone drew the most pips, and yet there is a further draw", starter=starter),
            )


def _faults_of_earlier_draw(proof: ProofOfDeal, seats: int) -> Iterator[InvalidInput]:
    if proof.drawn_before is None:
        yield InvalidInput("starting_draws", say("there is none, but a draw decides who starts the first hand"))
    elif len(proof.drawn_before) != seats:
        yield InvalidInput(
            "drawn_before",
            say("has {count} tiles, but there are {seats} seats", count=len(proof.drawn_before), seats=seats),
        )
    elif (starter := drawn_starter(proof.drawn_before)) != proof.starter:
        winner = say("no seat") if starter is None else f"seat {starter}"
        yield InvalidInput(
            "starter", say("is seat {starter}, but {winner} drew the most pips", starter=proof.starter, winner=winner)
        )


def _faults_of_deals(proof: ProofOfDeal, shuffle: ShuffleInputs) -> Iterator[InvalidInput]:
    if not proof.deals:
        yield InvalidInput("deals", say("there is none"))
        return
    if len(proof.deals) > MOST_DEALS:
        yield InvalidInput(
            "deals", say("there are {count}, but a hand is dealt anew only once", count=len(proof.deals))
        )
        return
    found = DealtTiles((), ())
    for number, made in enumerate(proof.deals):
        at, attempt = f"deals.{number}", len(proof.starting_draws) + number
        if made.attempt != attempt:
            yield InvalidInput(
                f"{at}.attempt",
                say("is {attempt}, but the next attempt is {attempt_2}", attempt=made.attempt, attempt_2=attempt),
            )
            continue
        before = found
        found = dealt_of(shuffled(shuffle, attempt, proof.set), len(proof.contributions), proof.tiles_each)
        if number and not 0 < proof.reshuffle_doubles <= _most_doubles(before):
            yield InvalidInput(at, say("the hand was dealt anew, but no seat had been dealt the doubles that allow it"))
        if len(made.dealt) != len(found.dealt):
            yield InvalidInput(
                f"{at}.dealt",
                say(
                    "has {count} hands, but there are {count_2} seats", count=len(made.dealt), count_2=len(found.dealt)
                ),
            )
            continue
        for seat, (said, tiles) in enumerate(zip(made.dealt, found.dealt, strict=True)):
            yield from _faults_of_tiles(f"{at}.dealt.{seat}", said, tiles)
        yield from _faults_of_tiles(f"{at}.rest", made.rest, found.boneyard)


def _most_doubles(made: DealtTiles) -> int:
    """The largest number of doubles that any seat was dealt."""
    return max((sum(map(is_double, hand)) for hand in made.dealt), default=0)


def _faults_of_tiles(at: str, said: Sequence[Tile], found: Sequence[Tile]) -> Iterator[InvalidInput]:
    if len(said) != len(found):
        yield InvalidInput(
            at, say("has {count} tiles, but the secret gives {count_2}", count=len(said), count_2=len(found))
        )
        return
    for number, (tile, right) in enumerate(zip(said, found, strict=True)):
        if ordered(tile) != right:
            yield InvalidInput(
                f"{at}.{number}", say("is {tile}, but the secret gives {right}", tile=list(tile), right=list(right))
            )
            return  # what follows is wrong too


def _faults_of_turns(proof: ProofOfDeal) -> Iterator[InvalidInput]:
    """Play the turns again from the last deal: each turn must be legal, and the last one must end the hand."""
    played = proof.deals[-1]
    must_lead = None
    if proof.hand == 1 and proof.first_starter == "highest_double":
        starter, must_lead = leading_tile(played.dealt)
        if starter != proof.starter:
            yield InvalidInput(
                "starter",
                say(
                    "is seat {starter}, but seat {starter_2} has the highest double",
                    starter=proof.starter,
                    starter_2=starter,
                ),
            )
            return
    rules = cast("Ruleset", proof)  # a hand in play reads only `set` and `cannot_play`, which a proof has too
    play = HandInPlay(rules, played.dealt, proof.starter, tuple(map(ordered, played.rest)), must_lead)
    for number, turn in enumerate(proof.turns):
        reason = _take(play, turn)
        if reason is not None:
            yield InvalidInput(f"turns.{number}", reason)
            return  # later turns would be wrong too
    if not play.is_over:
        yield InvalidInput("turns", say("end before the hand does"))


def _take(play: HandInPlay, turn: Turn) -> str | None:  # noqa: PLR0911  # one for each reason
    """Take a turn. Returns why it is not legal, or None."""
    if play.is_over:
        return say("comes after the end of the hand")
    if turn.seat != play.to_move:
        return say("is a turn of seat {seat}, but seat {to_move} is to move", seat=turn.seat, to_move=play.to_move)
    forced = play.forced
    if forced == "draw":
        following = play.boneyard[-1]
        if turn.where != "draw" or turn.tile is None or ordered(turn.tile) != following:
            return say(
                "seat {seat} has to draw the next tile of the rest, which is {following}",
                seat=turn.seat,
                following=list(following),
            )
        play.draw()
    elif forced == "pass":
        if turn.tile is not None or turn.where is not None:
            return say("seat {seat} has to pass", seat=turn.seat)
        play.pass_turn()
    elif turn.tile is None:
        if turn.where != "timeout" or play.ends is None:
            return say("seat {seat} passed, but it can play", seat=turn.seat)
        play.pass_turn(by_clock=True)
    else:
        try:
            play.play(turn.tile, cast("End | None", turn.where))
        except (TileNotHeld, TileDoesNotFit) as refusal:
            return refusal.message
    return None


# ---------------------------------------------------------------- finished hands


class DatedTableEvent(Struct, frozen=True):
    """An event of a table with its log position and its time."""

    position: int
    at: datetime
    event: TableEvent


class FinishedHand(Struct, frozen=True):
    """A hand that has ended: how it was shuffled, what was dealt, and each turn."""

    proof: ProofOfDeal
    turns: tuple[TakenTurn, ...]
    dealt_at: datetime
    """When it was dealt; after a reshuffle, when it was dealt again."""
    ended_at: datetime


def finished_hands(table: str, happened: Iterable[DatedTableEvent]) -> Iterator[FinishedHand]:
    """The finished hands of a table, in order, without hands that were dropped."""
    opening: TableOpened | None = None
    began: PlayBegan | None = None
    hand: list[DatedTableEvent] = []
    drawn: tuple[Tile, ...] | None = None
    for one in happened:
        match one.event:
            case TableOpened():
                opening = one.event
            case PlayBegan():
                began = one.event
            case ShuffleCommitted():
                hand = []
            case StartingDrawn():
                drawn = one.event.tiles
        hand.append(one)
        if isinstance(one.event, HandEnded):
            assert opening is not None, "a table is opened first"
            assert began is not None, "play begins before a hand"
            events = [part.event for part in hand]
            proof = proof_of_deal(table, one.event.hand, opening.ruleset, began.ruleset, opening.seats, events, drawn)
            yield _finished(proof, hand)


def made_by(move: TilePlayed | TileDrawn | TurnPassed) -> Maker | None:
    """Who made a turn; None if the server drew or passed automatically."""
    match move:
        case TilePlayed(by=by):
            return by
        case TurnPassed(reason="timeout"):
            return "clock"
    return None


def _finished(proof: ProofOfDeal, hand: list[DatedTableEvent]) -> FinishedHand:
    moves = [(one, one.event) for one in hand if isinstance(one.event, TilePlayed | TileDrawn | TurnPassed)]
    return FinishedHand(
        proof=proof,
        turns=tuple(
            TakenTurn(number, turn, made_by(event), one.at, one.position)
            for number, (turn, (one, event)) in enumerate(zip(proof.turns, moves, strict=True), 1)
        ),
        dealt_at=[one.at for one in hand if isinstance(one.event, HandDealt)][-1],
        ended_at=hand[-1].at,
    )
