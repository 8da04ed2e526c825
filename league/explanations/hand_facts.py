"""The facts of a hand in words, each with the player at the seat concerned."""

from collections.abc import Iterator, Sequence

from league.domain.competitor import competitor_of
from league.domain.hand import HandFacts, Held, held_pips
from league.domain.match import HandCorrected, MatchReopened, MatchVoided
from league.domain.result import Played
from league.domain.tiles import Tile
from league.explanations.explanation import Changed, Correction, Fact, facts, facts_of, message
from league.projections.queries.stories import Story

HOW = {"domino": "went_out", "block": "locked_it"}
"""How the seat ended the hand."""


def facts_of_hand(hand: HandFacts, played: Played) -> tuple[Fact, ...]:
    """What happened in a hand of this match."""
    seats = played.seats
    return (
        seat_fact("starter", hand.starter, seats),
        *facts(ended_by=hand.ended_by),
        seat_fact(HOW[hand.ended_by], hand.seat, seats),
        *closing_facts(hand),
        *facts(opening_pass=hand.opening_pass, corridos=hand.corridos),
        *(facts(corridos_by_side=hand.side_corridos) if hand.side_corridos is not None else ()),
        *facts(drew=hand.drew),
        *(leftover_fact(f"leftover of seat {seat}", hand, seat, seats) for seat in range(len(hand.leftover))),
        *(side_leftover_fact(f"leftover of side {side}", total, side, played) for side, total in _totals(hand)),
        *stated_facts(hand, played),
    )


def stated_facts(hand: HandFacts, played: Played) -> tuple[Fact, ...]:
    """What the sheet states beside the facts."""
    winner, capicua = hand.stated_winner, hand.stated_capicua
    return (
        *(() if winner is None else (side_fact("stated_winner", winner, played),)),
        *(() if capicua is None else facts(stated_capicua=capicua)),
    )


def _totals(hand: HandFacts) -> Iterator[tuple[int, int]]:
    """The sides whose pips are known together only."""
    yield from ((side, total) for side, total in enumerate(hand.side_leftover or ()) if total is not None)


def changed_facts(before: HandFacts, after: HandFacts, played: Played) -> Iterator[Changed]:
    """The facts that a correction changed."""
    old, new = ({fact.name: fact for fact in facts_of_hand(hand, played)} for hand in (before, after))
    for name in old | new:
        was, now = old.get(name), new.get(name)
        if was != now:
            # A different seat is shown by its number; for the same seat the player is named.
            same = was is not None and now is not None and was.of == now.of
            of = was.of if same and was is not None else None
            yield Changed(name, None if was is None else was.value, None if now is None else now.value, of)


def seat_fact(name: str, seat: int | None, seats: Sequence[str], unknown: str = "not known") -> Fact:
    """A seat, and its player."""
    return Fact(name, unknown) if seat is None else Fact(name, f"seat {seat}", seats[seat])


def side_fact(name: str, side: int, played: Played) -> Fact:
    """A side, and who plays on it."""
    return Fact(name, f"side {side}", competitor_of(played.sides[side]))


def leftover_fact(name: str, hand: HandFacts, seat: int, seats: Sequence[str]) -> Fact:
    """What a seat still held."""
    return facts_of(seats[seat], **{name: _held(hand.leftover[seat])})[0]


def side_leftover_fact(name: str, total: int, side: int, played: Played) -> Fact:
    """What a side still held, where its seats were not counted apart."""
    return Fact(name, f"{total} pips", competitor_of(played.sides[side]))


def closing_facts(hand: HandFacts) -> tuple[Fact, ...]:
    """The last tile, and what is known of it."""
    tile = hand.closing.tile
    return facts(
        closing_tile=None if tile is None else tiles_in_words((tile,)),
        fits_both_ends=hand.closing.fits_both_ends,
        ends_equal=hand.closing.ends_equal,
        blocks_too=hand.closing.blocks_too,
    )


def tiles_in_words(tiles: Sequence[Tile]) -> str:
    """Such as `0-6 4-4`."""
    return " ".join(f"{low}-{high}" for low, high in tiles) or "none"


def _held(held: Held) -> str | None:
    pips = held_pips(held)
    if pips is None:
        return None
    return f"{pips} pips" + (f": {tiles_in_words(held)}" if isinstance(held, tuple) and held else "")


def corrections_of(story: Story, hand: int | None = None) -> Iterator[Correction]:
    """Every correction of a match in order; `hand`: only those of this hand, and the voiding of the match."""
    for event in story.events:
        match event.body:
            case HandCorrected(hand=number, facts=facts, reason=reason) if hand in (None, number):
                played = event.before.played
                assert played is not None, "a hand that is corrected was played"
                changed = tuple(changed_facts(played.hands[number - 1], facts, played))
                yield Correction(event.entry, message("hand_corrected", hand=number), reason, changed)
            case MatchReopened(reason=reason) if hand is None:
                yield Correction(event.entry, message("end_taken_back"), reason)
            case MatchVoided(reason=reason):
                yield Correction(event.entry, message("match_was_voided"), reason)
