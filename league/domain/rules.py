"""A rulebook edition as data: all numbers and choices of the rules, validated and frozen."""

from decimal import Decimal
from typing import Annotated, Literal

from msgspec import Meta, Struct

from league.domain.tiles import SetName

Mode = Literal["1v1", "2v2", "individuals"]
SeriesMode = Literal["1v1", "2v2"]
Competition = Literal["competitive", "casual", "special"]
Count = Literal["match", "hand"]

Positive = Annotated[int, Meta(ge=1)]
NotNegative = Annotated[int, Meta(ge=0)]
BonusPoints = Annotated[int, Meta(ge=0, le=10_000)]
Days = Annotated[int, Meta(ge=1, le=36_500)]
Games = Annotated[int, Meta(ge=1, le=1_000)]
Share = Decimal

COUNTED_COMPETITIONS: tuple[Competition, ...] = ("competitive", "special")
"""The default kinds of matches that count in the series."""


class RulebookSection(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of every section. An unknown key is an error."""


class Bonuses(RulebookSection, frozen=True, omit_defaults=True):
    """Bonuses of a hand or a match, in match points on top of the leftover pips. An omitted bonus is not played."""

    first_hand: BonusPoints | None = None
    """To the winner of hand 1 (Caribbean text, First Round Bonus)."""
    double_out: BonusPoints | None = None
    """Going out with a double (Caribbean text, Double Out)."""
    domino_without_draw: BonusPoints | None = None
    """Going out without having drawn; only if the hand has a boneyard (Caribbean text, Domino)."""
    block_won: BonusPoints | None = None
    """Winning a block (Caribbean text, Block Win)."""
    shutout: BonusPoints | None = None
    """Winning while no loser scores a point (Caribbean text, Shutout); see the setting `shutout`."""
    capicua: BonusPoints | None = None
    """A capicúa that is not void (Dominican text 2.4)."""
    chuchazo: BonusPoints | None = None
    """Going out with the double blank (Dominican text 2.5)."""
    opening_pass: BonusPoints | None = None
    """Opening pass, to the starter's side (Dominican text 2.2). A pass by the clock makes none."""
    pase_corrido: BonusPoints | None = None
    """Each pase corrido, to the side of the seat that made it (Dominican text 2.3). A pass by the clock makes none."""
    key_bone: BonusPoints | None = None
    """In addition to the hand's point, if the closing tile fitted both ends (Caribbean text, Key Bone)."""
    rounds: tuple[BonusPoints, ...] = ()
    """To the winner of hand 1, 2, 3, … (Dominican text 3, round bonuses)."""


class LiveTableRules(RulebookSection, frozen=True, omit_defaults=True):
    """Time limits and reshuffles of a live table (Cuban text, Automatic Features)."""

    turn_seconds: Positive = 30
    """Time for a turn."""
    on_timeout: Literal["pass", "play"] = "pass"
    """The turn of a player whose time runs out (Cuban text, Turn Timer): a pass, which gives nobody a bonus, or a play
    by the heuristic AI. In the first turn of a hand the AI always plays."""
    timeouts_before_ai: Positive = 2
    """Timeouts in a row after which an AI plays the seat until its player acts."""
    contribution_seconds: Positive = 5
    """Time for the players to contribute to a shuffle."""
    reshuffle_doubles: NotNegative = 5
    """Doubles in a dealt hand with which a seat may ask for a new deal; 0: never."""
    reshuffle_seconds: Positive = 10
    """Time to ask for a new deal, and to answer."""
    away_after_seconds: Positive = 10
    """Time without a sign of life after which a player is away."""
    away_seconds: NotNegative = 120
    """Time that the table waits for an absent player, in total during a match."""
    return_seconds: Positive = 15
    """Time for players to return after all servers were down."""
    gathering_seconds: Positive = 24 * 3600
    """Time that a table waits for play to begin, from its opening."""


class EndingPoints(RulebookSection, frozen=True):
    """What the winner of a hand scores by the way in which the hand ended (House rules)."""

    domino: BonusPoints
    """The closing tile is no double and did not fit both ends."""
    double: BonusPoints
    """It is a double, and did not fit both ends."""
    both_ends: BonusPoints
    """It fitted both ends, and is no double."""
    double_both_ends: BonusPoints
    block: BonusPoints


class Ruleset(RulebookSection, frozen=True, omit_defaults=True):
    """One way to play a match."""

    title: str
    description: str
    set: SetName
    tiles_each: Positive
    modes: tuple[Mode, ...]
    scoring: Literal["points", "hands", "row"]
    """`points`: a hand scores leftover pips. `hands`: a hand scores a point. `row`: only hands won in a row count."""
    target: Positive
    """The score, or for `row` the number of hands in a row, that ends the match."""
    block_winner: Literal["side_total", "lowest_hand", "locker_vs_next"]
    block_tie: Literal["previous_winner", "starting_draw", "starter", "locker", "no_score", "next_starts"]
    """`no_score`: nobody wins, and the starter starts again. `next_starts`: nobody wins, and the next seat starts."""
    counted_pips: Literal["opponents", "all_others", "all_on_block"]
    """`all_on_block`: after a domino as `opponents`, after a block the pips of every side, also the winner's."""
    capicua: Literal["fits_both_ends", "ends_equal"]
    capicua_void_on: tuple[Literal["double", "blank_half", "double_blank"], ...]
    viajera_from: Positive
    """Leftover pips in one hand, without bonuses, that make a viajera."""
    first_starter: Literal["starting_draw", "highest_double"]
    """The rule for people and live tables. A recorded starter is never refused for breaking it."""
    next_starter: Literal["hand_winner"]
    cannot_play: Literal["pass", "draw_until_playable", "draw_one"]
    """Applies to two or three seats. With four, no seat draws."""
    shutout: Literal["per_match", "per_hand", "off"]
    reset: Literal["to_zero", "winner_keeps_hand", "off"]
    """The effect on the score if the side that is behind wins a hand; only with scoring `hands`."""
    bonuses: Bonuses
    capicua_doubles: bool = False
    """Whether a capicúa counts the leftover pips twice."""
    hand_points: Literal["pips", "by_ending"] = "pips"
    """What the winner of a hand scores before bonuses, with scoring `points`."""
    ending: EndingPoints | None = None
    """The points of a hand where `hand_points` is `by_ending`, and None elsewhere."""
    made_from: str | None = None
    """The name of the ruleset from which a house ruleset was made; its page says what differs. None elsewhere."""
    live: LiveTableRules = LiveTableRules()
    """The log omits it at its defaults, since it did not exist when edition 1 was stored."""


class KFactors(RulebookSection, frozen=True, omit_defaults=True):
    """The K of each rule. The first rule that applies, in this order, gives K (CDS text 4)."""

    casual: Decimal
    provisional: Decimal
    special: Decimal
    veteran: Decimal
    standard: Decimal
    provisional_below: NotNegative | None = None
    """Rated matches in the mode below which K is provisional; None: the rating's `provisional_below`."""


class VeteranRule(RulebookSection, frozen=True):
    """The conditions for a veteran: at least this many rated matches in the mode and this rating before the match."""

    matches: NotNegative
    rating: Decimal


class DifferentialTerm(RulebookSection, frozen=True):
    """CDS text 3.1: `value` for every full `points` by which the final scores differ."""

    value: Decimal
    points: Positive
    points_by_ruleset: dict[str, Positive] = {}


class SingleTerm(RulebookSection, frozen=True):
    """A term of M that a match earns at most once."""

    value: Decimal


class CountedTerm(RulebookSection, frozen=True):
    """A term of M that is earned once per match, or once for every hand."""

    value: Decimal
    count: Count


class RecoveryStep(RulebookSection, frozen=True):
    """CDS text 3.3: `value` for a win after trailing by at least `behind` match points at the end of some hand."""

    behind: Positive
    value: Decimal


class StrengthTerm(RulebookSection, frozen=True):
    """CDS text 3.5: `value` for every full `gap` of rating points between the sides."""

    value: Decimal
    gap: Positive


class Modifier(RulebookSection, frozen=True):
    """The performance modifier M (CDS text 3)."""

    differential: DifferentialTerm
    pollona: SingleTerm
    viajera: CountedTerm
    capicua: CountedTerm
    capicua_blocks: CountedTerm
    recovery: tuple[RecoveryStep, ...]
    """Only the highest step that was reached counts."""
    block_won: CountedTerm
    critical_block: SingleTerm
    strength: StrengthTerm


class OverallRules(RulebookSection, frozen=True):
    """CDS text 1.3: the weights of the two modes in the overall rating."""

    main_weight: Share
    """Weight of the mode with more matches."""
    balanced_share: Share
    """If the larger share of matches is at most this, both modes have equal weight."""


class CapBySign(RulebookSection, frozen=True):
    """M is limited to the range from minus `below` to plus `above` (CDS text 3)."""

    below: Decimal
    above: Decimal

    def __str__(self) -> str:
        return f"-{self.below} to +{self.above}"


class RatingRules(RulebookSection, frozen=True):
    """The Domino Score (CDS text)."""

    start: Decimal
    scale: Positive
    """Difference in rating points that means odds of ten to one (CDS text 2.1)."""
    expected: Literal["side_average", "own_vs_side_average"]
    provisional_below: NotNegative
    """Rated matches in the mode below which a rating is shown as provisional."""
    k: KFactors
    veteran: VeteranRule
    cap: Decimal | bool | CapBySign
    """M is limited to the range from minus this to plus this; `false`: no cap."""
    modifier: Modifier
    overall: OverallRules

    @property
    def k_provisional_below(self) -> int:
        """Rated matches in the mode below which K is provisional."""
        return self.provisional_below if self.k.provisional_below is None else self.k.provisional_below


class SeriesRules(RulebookSection, frozen=True, omit_defaults=True):
    """The monthly series (ToT text)."""

    start: NotNegative
    """Series points of a competitor at the start of a month (ToT text 1)."""
    game_points: NotNegative
    """Series points that a win gives and a loss takes (ToT text 2)."""
    limit: Games
    """Wins of either competitor after which two competitors are locked for the month (ToT text 2)."""
    pool: NotNegative
    """Series points that two competitors share by their wins. One can gain at most half of them (ToT text 3)."""
    pool_from_game: Positive
    """The game of two competitors from which on the pool is shared (ToT text 3.1)."""
    competitions: tuple[Competition, ...] = COUNTED_COMPETITIONS
    """The kinds of matches that count in the series (ToT text 2)."""


class BoardRules(RulebookSection, frozen=True):
    """Conditions for players to be listed on boards."""

    active_days: Days
    """Days of 24 hours within which a player must have finished a match to be listed on a rating board."""
    capicuas_per_hand_from: Positive
    """Hands that a player must have won to be listed on the board of capicúas per hand won."""


class RecoveryBadge(RulebookSection, frozen=True):
    """Thresholds for matches won after trailing by at least `behind` match points at the end of some hand."""

    behind: Positive
    thresholds: tuple[Positive, ...]


class UpsetBadge(RulebookSection, frozen=True):
    """Thresholds for matches won against a side whose average rating was at least `gap` higher."""

    gap: Positive
    thresholds: tuple[Positive, ...]


class UnbeatenMonth(RulebookSection, frozen=True):
    """Thresholds for closed months with at least `games` competitive matches, none of them lost."""

    games: Positive
    thresholds: tuple[Positive, ...]


class BadgeRules(RulebookSection, frozen=True, omit_defaults=True):
    """Thresholds that earn badges, for each measure. They count both rated modes together, including casual matches."""

    streak: tuple[Positive, ...]
    """Matches won in a row."""
    matches: tuple[Positive, ...]
    wins: tuple[Positive, ...]
    pollonas: tuple[Positive, ...]
    capicuas: tuple[Positive, ...]
    viajeras: tuple[Positive, ...]
    blocks: tuple[Positive, ...]
    """Hands won by a block that is credited to the player's seat."""
    recoveries: tuple[RecoveryBadge, ...]
    rating: tuple[Positive, ...]
    """A rating reached in a mode while established."""
    upset: UpsetBadge
    month_won: tuple[Positive, ...]
    """First places in the standings of closed months; each mode counts."""
    unbeaten_month: UnbeatenMonth


class Rulebook(RulebookSection, frozen=True):
    """One edition of all rules of the league."""

    title: str
    rulesets: dict[str, Ruleset]
    rating: RatingRules
    series: SeriesRules
    badges: BadgeRules
    boards: BoardRules

    def ruleset(self, name: str) -> Ruleset | None:
        """The ruleset of this name, or None."""
        return self.rulesets.get(name)
