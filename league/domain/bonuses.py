"""Where each rule comes from, and the terms of a hand: each with its words, the facts it depends on, and its award.

The texts: Cuban (rules for a web app), Caribbean (game rules), Dominican (rules plan), CDS (Cuban Domino Score) and ToT
(the monthly series). Where the texts leave a gap, edition 1 decides it by its settings.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from league.domain.hand import HandFacts, has_boneyard
from league.domain.rules import EndingPoints, Mode, Ruleset
from league.domain.seating import side_of
from league.domain.sentences import say
from league.domain.tiles import Tile, is_double


class Clause(NamedTuple):
    """A section of a source text, and the dotted keys of an edition that hold its numbers and choices."""

    section: str
    settings: tuple[str, ...] = ()


HOUSE_RULES = "House rules"
"""The source of what a club has decided for itself: no text says it."""

FAMILIES = {"cuban": "Cuban", "dominican": "Dominican", "house": "House"}
"""The source of a ruleset by the first part of its name. All other rulesets come from the Caribbean text."""

BLOCK = {
    "Cuban": "Cuban text, Winning a Round and Round Tie Resolution",
    "Dominican": "Dominican text 2.6",
    "Caribbean": "Caribbean text, Blocked Game",
    "House": HOUSE_RULES,
}
"""The section that says who wins a block, by the family of the ruleset."""

BLOCK_SETTINGS = ("block_winner", "block_tie")

RATING_TERMS = {
    "before": Clause("CDS text 2", ("rating.start",)),
    "outcome": Clause("CDS text 2"),
    "expected": Clause("CDS text 2.1", ("rating.scale", "rating.expected")),
    "cap": Clause("CDS text 3", ("rating.cap",)),
    "differential": Clause(
        "CDS text 3.1", ("rating.modifier.differential.value", "rating.modifier.differential.points")
    ),
    "pollona": Clause("CDS text 3.2", ("rating.modifier.pollona.value",)),
    "viajera": Clause("CDS text 3.2", ("rating.modifier.viajera.value", "rating.modifier.viajera.count")),
    "capicua": Clause("CDS text 3.2", ("rating.modifier.capicua.value", "rating.modifier.capicua.count")),
    "capicua_blocks": Clause(
        "CDS text 3.2", ("rating.modifier.capicua_blocks.value", "rating.modifier.capicua_blocks.count")
    ),
    "recovery": Clause("CDS text 3.3", ("rating.modifier.recovery",)),
    "block_won": Clause("CDS text 3.4", ("rating.modifier.block_won.value", "rating.modifier.block_won.count")),
    "critical_block": Clause("CDS text 3.4", ("rating.modifier.critical_block.value",)),
    "strength": Clause("CDS text 3.5", ("rating.modifier.strength.value", "rating.modifier.strength.gap")),
}
"""The source of each part of the rating's formula, including the terms of its modifier M."""

K_RULES = {
    "casual": Clause("CDS text 4, low K", ("rating.k.casual",)),
    "provisional": Clause("CDS text 4, high K", ("rating.k.provisional", "rating.provisional_below")),
    "special": Clause("CDS text 4, high K", ("rating.k.special",)),
    "veteran": Clause("CDS text 4, low K", ("rating.k.veteran", "rating.veteran.matches", "rating.veteran.rating")),
    "standard": Clause("CDS text 4, medium K", ("rating.k.standard",)),
}
"""The source of each rule that chooses K."""

SERIES_TERMS = {
    "start": Clause("ToT text 1", ("series.start",)),
    "series_points": Clause("ToT text 3", ("series.pool", "series.pool_from_game")),
    "game_points": Clause("ToT text 2", ("series.game_points",)),
    "beyond_limit": Clause("ToT text 2", ("series.limit",)),
    "casual": Clause("ToT text 2: only competitive games count", ("series.competitions",)),
    "special": Clause("ToT text 2: only competitive games count", ("series.competitions",)),
    "competitive": Clause("ToT text 2", ("series.competitions",)),
}
"""The source of each part of a standing in the monthly series."""

BADGES = Clause("CDS text 7")
"""All badges; each has its thresholds as a setting."""

BOARD_TERMS = {
    "rating": Clause("CDS text 7"),
    "overall": Clause("CDS text 1.3", ("rating.overall.main_weight", "rating.overall.balanced_share")),
    "achievement": Clause("CDS text 7"),
    "capicuas_per_hand": Clause("CDS text 7", ("boards.capicuas_per_hand_from",)),
    "active": Clause("CDS text 7", ("boards.active_days",)),
    "rank": Clause("CDS text 7"),
    "provisional": Clause("CDS text 7", ("rating.provisional_below",)),
}
"""The source of each part of a place on a board. Edition 1 decided that equal values share a rank: no text says it."""


def section_of(setting: str) -> str | None:
    """The section of the source text for a setting of the rating or a board; None if edition 1 decided it."""
    clauses = (*RATING_TERMS.values(), *K_RULES.values(), *BOARD_TERMS.values())
    return next((clause.section for clause in clauses if any(setting.startswith(of) for of in clause.settings)), None)


def family_of(ruleset: str) -> str:
    """The source text of a ruleset, by its name."""
    return FAMILIES.get(ruleset.partition("-")[0], "Caribbean")


# ---------------------------------------------------------------- terms of a hand


HandFact = Literal[
    "closing", "corrido", "drew", "hand", "leftover", "locker", "opening_pass", "score_before", "starter", "went_out",
    "winning_seat",
]  # fmt: skip
"""A fact that a term can rest on. `league.explanations.hands` shows each, and finds the event that records it."""


class ScoredTerm(Struct, frozen=True, gc=False, array_like=True):
    """Why a side scored: the rule's name and its points."""

    side: int
    rule: str
    points: int


class JudgedHand(Struct, frozen=True, gc=False):
    """The input of an award: the facts of a hand, who won it, and its terms so far."""

    facts: HandFacts
    ruleset: Ruleset
    mode: Mode
    number: int
    """The number of the hand in its match, from 1."""
    winning_seat: int | None
    winner: int | None
    """The winning side; None when no side won, or when the winner cannot be derived."""
    winner_known: bool
    """False when the winner cannot be derived from the facts."""
    capicua: bool | None
    """Whether the hand is a capicúa (`is_capicua`); None when not known."""
    terms: Sequence[ScoredTerm]


Sides = tuple[int, ...] | None
"""The side that gets a bonus, once for each time that it was earned; None when a fact that it needs is unknown."""

Award = Callable[[JudgedHand], Sides]


def is_capicua(facts: HandFacts, ruleset: Ruleset) -> bool | None:
    """Whether the hand closed with a capicúa that is not void; None if not known.

    The facts decide; what the sheet states counts only where they leave it open.
    """
    settled = capicua_by_facts(facts, ruleset)
    if settled is not None or facts.stated_capicua is None:
        return settled
    # A tile that leaves equal ends could have gone on either end.
    return facts.stated_capicua and facts.closing.fits_both_ends is not False


def capicua_by_facts(facts: HandFacts, ruleset: Ruleset) -> bool | None:
    """Whether the facts alone show a capicúa that is not void; None if they leave it open."""
    if facts.ended_by == "block":
        return False
    closing = facts.closing
    made = closing.fits_both_ends if ruleset.capicua == "fits_both_ends" else closing.ends_equal
    if made is False or not ruleset.capicua_void_on:
        return made
    if closing.tile is None:
        return None
    return False if any(_VOID[kind](closing.tile) for kind in ruleset.capicua_void_on) else made


_VOID: dict[str, Callable[[Tile], bool]] = {
    "double": is_double,
    "blank_half": lambda tile: 0 in tile,
    "double_blank": lambda tile: tile == (0, 0),
}

# ---------------------------------------------------------------- awards


def _to_winner(hand: JudgedHand, earned: bool | None) -> Sides:
    if earned is None:
        return None
    return (hand.winner,) if earned and hand.winner is not None else ()


def _for_winning(hand: JudgedHand) -> Sides:
    return _to_winner(hand, True if hand.winner_known else None)


def _going_out_with(hand: JudgedHand, wanted: Callable[[Tile], bool]) -> Sides:
    if hand.facts.ended_by == "block":
        return ()
    tile = hand.facts.closing.tile
    return _to_winner(hand, None if tile is None else wanted(tile))


def _domino_without_draw(hand: JudgedHand) -> Sides:
    facts = hand.facts
    if facts.ended_by == "block" or not has_boneyard(hand.ruleset, len(facts.leftover)):
        return ()
    return _to_winner(hand, None if facts.drew is None else hand.winning_seat not in facts.drew)


def _shutout(hand: JudgedHand) -> Sides:
    """The shutout of a hand. `result_of` awards the shutout of a match."""
    if hand.ruleset.shutout != "per_hand" or hand.winner is None:
        return ()
    return _to_winner(hand, all(term.side == hand.winner or term.points == 0 for term in hand.terms))


def _opening_pass(hand: JudgedHand) -> Sides:
    starter, scores = hand.facts.starter, hand.facts.opening_pass
    if scores is None or (scores and starter is None):
        return None
    return (side_of(starter, hand.mode),) if scores and starter is not None else ()


def _pase_corrido(hand: JudgedHand) -> Sides:
    corridos, by_side = hand.facts.corridos, hand.facts.side_corridos
    if corridos is None and by_side is not None:
        return tuple(side for side, count in enumerate(by_side) for _ in range(count))
    return None if corridos is None else tuple(side_of(seat, hand.mode) for seat in corridos)


# ---------------------------------------------------------------- the registry


class HandTerm(Struct, frozen=True, kw_only=True):
    """A term of a hand that scoring itself gives: leftover pips, the point for a hand, the reset."""

    name: str
    """The name under which terms of hands are stored."""
    source: str | Mapping[str, str]
    """The section of the source text, or one section for each family of rulesets."""
    label: str
    """The reason for the points, in plain words."""
    facts: tuple[HandFact, ...]
    """The facts that it depends on, as an explanation shows them."""
    settings: tuple[str, ...] = ()
    """The keys of the ruleset that decide it. For a bonus: those beside its own setting."""
    for_winning: bool = True
    """Goes to the winner of the hand. In a block it therefore depends on the rules of blocks too."""

    def clause(self, ruleset: str) -> Clause:
        """Where the rule comes from, for a ruleset by name."""
        section = self.source if isinstance(self.source, str) else self.source[family_of(ruleset)]
        return Clause(section, self.keys)

    @property
    def keys(self) -> tuple[str, ...]:
        """The dotted keys of the ruleset that decide it."""
        return self.settings


class HandBonus(HandTerm, frozen=True, kw_only=True):
    """A term whose points are a setting of `Bonuses`."""

    award: Award
    setting: str = ""
    """The field of `Bonuses`; empty if it is named like the bonus. A tuple there has the points for hand 1, 2, 3, …."""
    scoring: Literal["points", "hands"] = "points"
    """The `scoring` of the rulesets that can play it. With `hands`, a hand that scores no point earns no bonus."""
    judged_last: bool = False
    """Judged after the others, because its award reads their terms."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The dotted keys of the ruleset that decide it, the points first."""
        return (f"bonuses.{self.setting or self.name}", *self.settings)


HAND_TERMS: dict[str, HandTerm] = {
    term.name: term
    for term in (
        HandTerm(
            name="leftover",
            source={
                "Cuban": "Cuban text, Calculating Points",
                "Dominican": "Dominican text 2.1",
                "Caribbean": "Caribbean text, Primary Scoring Method",
                "House": HOUSE_RULES,
            },
            label=say("leftover pips"),
            facts=("leftover",),
            settings=("counted_pips",),
        ),
        HandTerm(
            name="capicua_doubled",
            source=HOUSE_RULES,
            label=say("a capicúa, which counts the leftover pips twice"),
            facts=("closing", "leftover"),
            settings=("capicua_doubles", "capicua", "capicua_void_on"),
        ),
        HandTerm(
            name="ending",
            source=HOUSE_RULES,
            label=say("the way in which the hand ended"),
            facts=("closing", "winning_seat"),
            settings=("hand_points", *(f"ending.{ending}" for ending in EndingPoints.__struct_fields__)),
        ),
        HandBonus(
            name="first_hand",
            source="Caribbean text, First Round Bonus",
            label=say("winning the first hand"),
            facts=("hand", "winning_seat"),
            award=lambda hand: _for_winning(hand) if hand.number == 1 else (),
        ),
        HandBonus(
            name="double_out",
            source="Caribbean text, Double Out",
            label=say("going out with a double"),
            facts=("closing",),
            award=lambda hand: _going_out_with(hand, is_double),
        ),
        HandBonus(
            name="domino_without_draw",
            source="Caribbean text, Domino",
            label=say("going out without having drawn from the boneyard"),
            facts=("went_out", "drew"),
            settings=("cannot_play",),
            award=_domino_without_draw,
        ),
        HandBonus(
            name="block_won",
            source="Caribbean text, Block Win",
            label=say("winning a block"),
            facts=("locker", "winning_seat"),
            award=lambda hand: _for_winning(hand) if hand.facts.ended_by == "block" else (),
        ),
        HandBonus(
            name="shutout",
            source="Caribbean text, Shutout",
            label=say("a shutout: only the winner scored"),
            facts=("winning_seat",),
            settings=("shutout",),
            award=_shutout,
            judged_last=True,
        ),
        HandBonus(
            name="capicua",
            source="Dominican text 2.4",
            label=say("a capicúa"),
            facts=("closing",),
            settings=("capicua", "capicua_void_on"),
            award=lambda hand: _to_winner(hand, hand.capicua),
        ),
        HandBonus(
            name="chuchazo",
            source="Dominican text 2.5",
            label=say("going out with the double blank"),
            facts=("closing",),
            award=lambda hand: _going_out_with(hand, lambda tile: tile == (0, 0)),
        ),
        HandBonus(
            name="round_bonus",
            source="Dominican text 3, round bonuses",
            label=say("winning one of the first hands, by the number of the hand"),
            facts=("hand", "winning_seat"),
            setting="rounds",
            award=_for_winning,
        ),
        HandBonus(
            name="opening_pass",
            source="Dominican text 2.2",
            label=say("opening pass, to the starter's side"),
            facts=("starter", "opening_pass"),
            award=_opening_pass,
            for_winning=False,
        ),
        HandBonus(
            name="pase_corrido",
            source="Dominican text 2.3",
            label=say("a pase corrido"),
            facts=("corrido",),
            award=_pase_corrido,
            for_winning=False,
        ),
        HandTerm(
            name="hand_won",
            source="Caribbean text, Partnership Variations",
            label=say("winning a hand"),
            facts=("score_before", "winning_seat"),
            settings=("scoring",),
        ),
        HandBonus(
            name="key_bone",
            source="Caribbean text, Key Bone",
            label=say("the key bone, on top of the hand's point"),
            facts=("closing",),
            award=lambda hand: (
                _to_winner(hand, hand.facts.closing.fits_both_ends) if hand.facts.ended_by == "domino" else ()
            ),
            scoring="hands",
        ),
        HandTerm(
            name="reset",
            source="Caribbean text, Reset Rule",
            label=say("the side behind won, so the score went back to 0-0"),
            facts=("score_before", "winning_seat"),
            settings=("reset",),
        ),
    )
}
"""All terms by name, in the order in which hands list them."""


def source_of(setting: str) -> str | None:
    """The section of a source text that a setting of an edition comes from; None where no section is known."""
    section, _, rest = setting.partition(".")
    if section == "badges":
        return BADGES.section
    if section != "rulesets":
        series = (clause.section for clause in SERIES_TERMS.values() if setting in clause.settings)
        return section_of(setting) or next(series, None)
    ruleset, _, key = rest.partition(".")
    if key in BLOCK_SETTINGS:
        return BLOCK[family_of(ruleset)]
    return next((term.clause(ruleset).section for term in HAND_TERMS.values() if key in term.keys), None)


BONUSES = {term.setting or term.name: term for term in HAND_TERMS.values() if isinstance(term, HandBonus)}
"""The terms whose points are a setting, by the field of `Bonuses`."""
