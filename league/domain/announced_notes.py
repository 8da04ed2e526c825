"""What somebody may want to check of an announced score: it is taken as it is, and may be a slip of the pen."""

from typing import Literal

from msgspec import Struct

from league.domain.bonuses import BONUSES
from league.domain.hand import has_boneyard
from league.domain.result import Announced
from league.domain.rules import Mode, Ruleset
from league.domain.seating import seats_of
from league.domain.sentences import Sentence, say
from league.domain.tiles import full_set, tile_pips

Doubt = Literal["below_target", "loser_at_target", "above_one_hand"]
"""The winner has less than the target; a loser has it, where only the winner of a hand scores; the winner has more than
one hand can have given on top of less than the target."""


class AnnouncedNote(Struct, frozen=True):
    """A score that may be wrong."""

    doubt: Doubt
    score: int
    """The one in doubt."""
    target: int
    most: int | None = None
    """For `above_one_hand`, the most that a winner can have."""

    @property
    def sentence(self) -> Sentence:
        """What to check."""
        match self.doubt:
            case "below_target":
                return say(
                    "the winner has {score} of {target} points: was play stopped early?",
                    score=self.score, target=self.target,
                )  # fmt: skip
            case "loser_at_target":
                return say(
                    "a loser has {score} points, and {target} end the match: only who wins a hand scores in it",
                    score=self.score, target=self.target,
                )  # fmt: skip
            case "above_one_hand":
                return say(
                    "{score} points are more than a match to {target} can end with ({most} at most)",
                    score=self.score, target=self.target, most=self.most,
                )  # fmt: skip


def notes_on(
    announced: Announced, ruleset: Ruleset, mode: Mode, seats: int, *, has_bell: bool = False
) -> list[AnnouncedNote]:
    """What to check of the announced score of a match without hands that nobody forfeited.

    `has_bell`: the match ends with the time of a round, whatever the score.
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


def most_in_a_hand(ruleset: Ruleset, mode: Mode, seats: int) -> int:
    """Points that no side gets more of in one hand, by the settings: an upper bound that is easily computed.

    With `points` it is the pips of the heaviest tiles that those whose pips count can hold, and every bonus, although
    some exclude each other; that of a match whose losers have nothing falls with its last hand. A seat makes at most as
    many pases corridos as it has tiles but one. With `hands` it is the point of the hand and its bonuses.
    """
    tiles = full_set(ruleset.set)
    side = len(seats_of(0, mode, seats))
    bonuses = 0
    for setting, bonus in BONUSES.items():
        points = getattr(ruleset.bonuses, setting)
        given = max(points, default=0) if isinstance(points, tuple) else points or 0
        if bonus.scoring != ruleset.scoring or (setting == "shutout" and ruleset.shutout == "off"):
            continue
        held = len(tiles) if has_boneyard(ruleset, seats) else ruleset.tiles_each
        bonuses += given * side * (held - 1) if setting == "pase_corrido" else given
    if ruleset.scoring == "hands":
        return 1 + bonuses
    counted = seats - (1 if ruleset.counted_pips == "all_others" else side)
    dealt_to_winner = (seats - counted) * ruleset.tiles_each
    held = len(tiles) - dealt_to_winner if has_boneyard(ruleset, seats) else counted * ruleset.tiles_each
    return sum(sorted(map(tile_pips, tiles), reverse=True)[:held]) + bonuses


def _only_winners_score(ruleset: Ruleset) -> bool:
    """Whether no bonus goes to who has not won the hand."""
    return not any(
        getattr(ruleset.bonuses, setting) for setting, bonus in BONUSES.items()
        if bonus.scoring == ruleset.scoring and not bonus.for_winning
    )  # fmt: skip
