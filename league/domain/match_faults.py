"""Faults of a match that is opened, recorded or imported: its seats, its time, its announced result.

An announced score that may be a typing error is not a fault. It is accepted, with a note that says what to check.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct

from league.domain.bonuses import BONUSES
from league.domain.match import ImportMatch, OpenMatch
from league.domain.most_points import MOST_HANDS, most_in_a_hand
from league.domain.refusals import InTheFuture, InvalidInput, NotFound, Refusal
from league.domain.result import AnnouncedResult
from league.domain.rules import Mode, Rulebook, Ruleset
from league.domain.seating import MODES, SEATS, sides_of
from league.domain.sentences import Sentence, either, say
from league.domain.tiles import SETS, Tile, full_set, ordered

HIGHEST_SCORE = 1_000_000
"""A higher announced score is a typing error."""

NO_PHOTOS = say("this league takes no photos")
CLOCKS_DIFFER = timedelta(seconds=30)
"""Tolerance for the clock of a phone: a time of play that is no further ahead counts as now."""

EARLIEST_YEAR = 1900
"""An earlier time of play is a typing error."""


def faults_of_opening(
    command: OpenMatch, rulebook: Rulebook, players: frozenset[str], now: datetime
) -> Iterator[Refusal]:
    """The faults of opening a match. `players`: the seated players that the league knows."""
    ruleset = rulebook.ruleset(command.ruleset)
    if ruleset is None:
        yield NotFound("ruleset", "ruleset", command.ruleset, tuple(sorted(rulebook.rulesets)))
    else:
        yield from faults_of_seating(command, ruleset)
    for seat, player in enumerate(command.seats):
        if player not in players:
            yield NotFound(f"seats.{seat}", "player", player)
    if command.starting_draw is not None and ruleset is not None:
        yield from _faults_of_draw(command.starting_draw, ruleset, len(command.seats))
    yield from faults_of_time(command.played_at, now)


def faults_of_import(
    command: ImportMatch, hands: int, rulebook: Rulebook, players: frozenset[str], now: datetime
) -> Iterator[Refusal]:
    """The faults of importing a recorded match, except those of its hands. `hands`: how many; `players` as above."""
    opening, announced = command.opening, command.announced
    yield from faults_of_opening(opening, rulebook, players, now)
    ruleset = rulebook.ruleset(opening.ruleset)
    seated = ruleset is not None and not [*faults_of_seating(opening, ruleset)]
    forfeited = command.forfeited_by is not None
    if ruleset is not None and seated and announced is not None:
        sides = len(sides_of(opening.mode, opening.seats))
        # The side that gave up may have been ahead.
        yield from faults_of_announced(announced, ruleset, sides, is_evidence=hands > 0 or forfeited)
    if command.forfeited_by is not None and seated:
        yield from faults_of_forfeit("forfeited_by", command.forfeited_by, len(sides_of(opening.mode, opening.seats)))
    yield from faults_of_count(hands)


def faults_of_forfeit(at: str, side: int, sides: int) -> Iterator[InvalidInput]:
    """The fault of a side that gives up but does not exist; `at` is the field that names the side."""
    if not 0 <= side < sides:
        yield InvalidInput(
            at, say("there is no side {winner}: the sides are 0 to {sides}", winner=side, sides=sides - 1)
        )


def faults_of_seating(command: OpenMatch, ruleset: Ruleset) -> Iterator[InvalidInput]:
    """The faults of seats under a ruleset: the mode, the number of seats, or a player in two seats."""
    if command.mode not in ruleset.modes:
        modes = either(MODES[mode] for mode in ruleset.modes)
        of = {"ruleset": say(ruleset.title), "modes": modes, "mode": MODES[command.mode]}
        yield InvalidInput("mode", say("{ruleset} is played {modes}, not {mode}", **of))
    elif len(command.seats) not in SEATS[command.mode]:
        wanted = either(map(str, SEATS[command.mode]))
        counts = {"mode": command.mode, "wanted": wanted, "count": len(command.seats)}
        yield InvalidInput("seats", say("{mode} is played by {wanted} players, not by {count}", **counts))
    for seat, player in enumerate(command.seats):
        if player in command.seats[:seat]:
            yield InvalidInput(f"seats.{seat}", say("{player!r} cannot play against or with themselves", player=player))


def _faults_of_draw(draw: tuple[Tile, ...], ruleset: Ruleset, seats: int) -> Iterator[InvalidInput]:
    if len(draw) != seats:
        yield InvalidInput(
            "starting_draw",
            say("there must be {seats} tiles, one for each seat, not {count}", seats=seats, count=len(draw)),
        )
    for number, tile in enumerate(draw):
        if ordered(tile) not in full_set(ruleset.set):
            yield InvalidInput(
                f"starting_draw.{number}",
                say("there is no tile {tile} in a {set} set", tile=list(tile), set=SETS[ruleset.set]),
            )
        if ordered(tile) in [ordered(other) for other in draw[:number]]:
            yield InvalidInput(f"starting_draw.{number}", say("the tile {tile} is named twice", tile=list(tile)))


def faults_of_count(hands: int) -> Iterator[InvalidInput]:
    """The fault of a match with more than `MOST_HANDS` hands."""
    if hands > MOST_HANDS:
        yield InvalidInput(
            "hands",
            say("{hands} hands are more than a match can have ({most_hands})", hands=hands, most_hands=MOST_HANDS),
        )


def settled_time(played_at: datetime | None, now: datetime) -> datetime | None:
    """The time of play to use: None, which means now, if it is ahead by at most `CLOCKS_DIFFER`."""
    is_ahead = played_at is not None and played_at.tzinfo is not None and now < played_at <= now + CLOCKS_DIFFER
    return None if is_ahead else played_at


def faults_of_time(played_at: datetime | None, now: datetime, not_before: datetime | None = None) -> Iterator[Refusal]:
    """The fault of a time of play: no offset, too early, in the future, or before `not_before`."""
    if played_at is None:
        return
    if played_at.tzinfo is None:
        yield InvalidInput("played_at", say("a time of play needs an offset from UTC"))
    elif played_at.year < EARLIEST_YEAR:
        yield InvalidInput(
            "played_at", say("this time is before the year {earliest_year}", earliest_year=EARLIEST_YEAR)
        )
    elif played_at > now:
        yield InTheFuture("played_at", played_at, now)
    elif not_before is not None and played_at < not_before:
        yield InvalidInput(
            "played_at", say("this time is before the match began, at {not_before}", not_before=not_before)
        )


def faults_of_announced(
    announced: AnnouncedResult, ruleset: Ruleset, sides: int, *, is_evidence: bool
) -> Iterator[InvalidInput]:
    """The faults of an announced result in a match of `sides` sides.

    `is_evidence`: the result follows from hands or a forfeit, so the announced winner may have the lower score.
    """
    is_side = 0 <= announced.winner < sides
    if not is_side:
        yield InvalidInput(
            "announced.winner",
            say("there is no side {winner}: the sides are 0 to {sides}", winner=announced.winner, sides=sides - 1),
        )
    score = announced.score
    if score is None:
        return
    if ruleset.scoring == "row":
        yield InvalidInput("announced.score", say("these rules have no score"))
        return
    if len(score) != sides:
        yield InvalidInput(
            "announced.score",
            say("there must be {sides} entries, one for each side, not {count}", sides=sides, count=len(score)),
        )
    for side, points in enumerate(score):
        if not 0 <= points <= HIGHEST_SCORE:
            yield InvalidInput(
                f"announced.score.{side}", say("a score is 0 to {most_points}", most_points=HIGHEST_SCORE)
            )
    if not is_evidence and is_side and len(score) == sides and score[announced.winner] < max(score):
        yield InvalidInput("announced.winner", say("another side has the higher score"))


# ---------------------------------------------------------------- notes on an announced score


Doubt = Literal["below_target", "loser_at_target", "above_one_hand"]
"""`below_target`: the winner has less than the target. `loser_at_target`: a loser has reached it, although only the
winner of a hand scores. `above_one_hand`: one last hand cannot raise a score from below the target to this one."""


DOUBTS: dict[Doubt, str] = {
    "below_target": say("the winner has {score} of {target} points: was play stopped early?"),
    "loser_at_target": say("a loser has {score} points, and {target} end the match: only who wins a hand scores in it"),
    "above_one_hand": say("{score} points are more than a match to {target} can end with ({most} at most)"),
}


class AnnouncedNote(Struct, frozen=True):
    """A note on an announced score that may be wrong."""

    doubt: Doubt
    score: int
    """The score in doubt."""
    target: int
    most: int | None = None
    """The highest possible score of a winner, for `above_one_hand`."""

    @property
    def sentence(self) -> Sentence:
        """The note for people: it says what to check."""
        return say(DOUBTS[self.doubt], score=self.score, target=self.target, most=self.most)


def notes_on(
    announced: AnnouncedResult, ruleset: Ruleset, mode: Mode, seats: int, *, has_bell: bool = False
) -> list[AnnouncedNote]:
    """Notes on the announced score of a match without hands that nobody forfeited.

    `has_bell`: the match ends with the time of a round, regardless of the score.
    """
    if announced.score is None or ruleset.scoring == "row":
        return []
    won, target = announced.score[announced.winner], ruleset.target
    lost = max(score for side, score in enumerate(announced.score) if side != announced.winner)
    most = target - 1 + most_in_a_hand(ruleset, mode, seats)
    notes = []
    if won < target and not has_bell:
        notes.append(AnnouncedNote("below_target", won, target))
    if lost >= target and _only_winners_score(ruleset):
        notes.append(AnnouncedNote("loser_at_target", lost, target))
    if won > most:
        notes.append(AnnouncedNote("above_one_hand", won, target, most))
    return notes


def _only_winners_score(ruleset: Ruleset) -> bool:
    """Whether every bonus that the ruleset plays goes to the winner of the hand."""
    return not any(
        getattr(ruleset.bonuses, setting) for setting, bonus in BONUSES.items()
        if bonus.scoring == ruleset.scoring and not bonus.for_winning
    )  # fmt: skip
