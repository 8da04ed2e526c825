"""Why a hand scored what it did: its terms by side, the rules and facts behind them, and how it was recorded.

Each fact names the player at the seat concerned.
"""

from collections.abc import Iterator, Sequence

from league.domain.bonuses import (
    BLOCK,
    BLOCK_SETTINGS,
    HAND_TERMS,
    HOUSE_RULES,
    Clause,
    HandFact,
    HandTerm,
    family_of,
)
from league.domain.hand import HandFacts, Held, held_pips, pips_by_seat, pips_by_side
from league.domain.match import (
    BonusRecorded,
    ClosingTile,
    HandCorrected,
    HandPhotographed,
    HandTranscribed,
    MatchReopened,
    MatchVoided,
    OpeningPass,
    PaseCorrido,
)
from league.domain.refusals import NotFound
from league.domain.result import MatchFacts, score_after
from league.domain.rules import Rulebook
from league.domain.seating import competitor_of, side_of
from league.domain.sentences import say
from league.domain.tiles import Tile
from league.explanations.explanation import (
    Basis,
    ChangedFact,
    Correction,
    Explanation,
    Fact,
    Term,
    Value,
    facts,
    facts_of,
    message,
    settings_of,
    sides,
)
from league.projections.queries.log import MatchStory, StoryEvent, story_of
from league.projections.queries.matches import HandRow, hands_by_match, matches_by_id
from league.projections.queries.snapshot import Snapshot, read_rulebook

RECORDED_BY: dict[HandFact, type[OpeningPass | PaseCorrido | ClosingTile]] = {
    "closing": ClosingTile,
    "opening_pass": OpeningPass,
    "corrido": PaseCorrido,
}
"""The bonus event that records a fact, for facts with their own event."""
SUM_BY_SIDE = say("the {unit} of a side are the sum of its terms")
FORMULA = message(SUM_BY_SIDE, unit=say("points"))

SCORED = say("Hand {hand} of {sides} ({ruleset}) scored {points}.")
SCORED_AFTER_END = say(
    "Hand {hand} of {sides} ({ruleset}) scored {points}, which do not count: the match had already ended."
)
SCORED_IN_FORFEITED_MATCH = say(
    "Hand {hand} of {sides} ({ruleset}) scored {points}. A side gave up the match, so nothing but the score of the "
    "hand counts."
)
STATED = say("{what}; the score sheet names the winner")
"""A term whose winner only the score sheet names."""
IN_VOIDED_MATCH = say("Hand {hand} of {sides} ({ruleset}) scores nothing: the match was voided.")


def explain_hand(snapshot: Snapshot, match: str, number: int) -> Explanation:
    """Why hand `number` of a match scored its points; a hand of a voided match scores nothing. Raises NotFound."""
    story = story_of(snapshot, match)
    played = story.state.played
    if played is None:
        raise NotFound("match", "match", match)
    if not 1 <= number <= len(played.hands):
        called = say("hand in match {match}, which has {count}:", match=match, count=len(played.hands))
        raise NotFound("hand", "hand", str(number), called=called)
    of_match = matches_by_id(snapshot, [match])[match]
    edition = of_match.edition
    if of_match.status == "voided":
        title = read_rulebook(snapshot, edition).rulesets[played.ruleset].title
        return _voided_hand(story, played, match, number, edition, title)
    rows = hands_by_match(snapshot, [match])[match]
    row = rows[number - 1]
    hand = _Hand(story, played, row, rows[: number - 1], read_rulebook(snapshot, edition))
    scored = SCORED if played.forfeited_by is None else SCORED_IN_FORFEITED_MATCH
    statement = message(
        scored if row.counted else SCORED_AFTER_END,
        hand=number,
        match=match,
        sides=sides(played.mode, played.seats),
        ruleset=hand.ruleset.title,
        points=tuple(row.points),
    )
    return Explanation(
        kind="hand",
        statement=statement,
        value=None,
        unit=say("points"),
        formula=FORMULA,
        edition=edition,
        terms=hand.terms(),
        facts=hand.facts(),
        corrections=tuple(corrections_of(story, number)),
        events=tuple(event.entry for event in hand.events),
        not_judged=tuple(row.not_judged),
    )


def _voided_hand(
    story: MatchStory, played: MatchFacts, match: str, number: int, edition: str, ruleset: str
) -> Explanation:
    corrections = tuple(corrections_of(story, number))
    events = [event.entry for event in story.of_hand(number)]
    voided = [one.entry for one in corrections if one.entry not in events]
    of: dict[str, Value] = {"match": match, "sides": sides(played.mode, played.seats), "ruleset": ruleset}
    return Explanation(
        kind="hand",
        statement=message(IN_VOIDED_MATCH, hand=number, **of),
        value=None,
        unit=say("points"),
        formula=FORMULA,
        edition=edition,
        terms=(),
        facts=(*seat_facts(played), *facts_of_hand(played.hands[number - 1], played)),
        corrections=corrections,
        events=(*events, *voided),
    )


def seat_facts(played: MatchFacts) -> tuple[Fact, ...]:
    """The players by seat."""
    return tuple(
        Fact(f"seat {seat}", f"side {side_of(seat, played.mode)}", player) for seat, player in enumerate(played.seats)
    )


class _Hand:
    """A scored hand, with all that explains its terms."""

    def __init__(
        self, story: MatchStory, played: MatchFacts, row: HandRow, before: Sequence[HandRow], rulebook: Rulebook
    ) -> None:
        self.played, self.row, self.rulebook = played, row, rulebook
        self.ruleset = rulebook.rulesets[played.ruleset]
        self.known: HandFacts = played.hands[row.hand - 1]
        self.events = tuple(story.of_hand(row.hand))
        self.score = score_before(before, len(row.points))

    def terms(self) -> tuple[Term, ...]:
        corridos = 0
        terms = []
        for side, rule, points in self.row.terms:
            terms.append(self._term(side, rule, points, corridos))
            corridos += rule == "pase_corrido"
        return tuple(terms)

    def facts(self) -> tuple[Fact, ...]:
        """The players by seat, what happened, the photos that show it, and the deal if every turn is known."""
        transcript, seats = self._transcript(), self.played.seats
        dealt = () if transcript is None else transcript.body.transcript.dealt  # type: ignore[attr-defined]  # as found
        return (
            *seat_facts(self.played),
            *facts_of_hand(self.known, self.played),
            self._winning_seat(),
            *facts(score_before="-".join(map(str, self.score))),
            *(Fact("photo", photo) for photo in self._photos()),
            *(Fact(f"dealt to seat {seat}", tiles_in_words(tiles), seats[seat]) for seat, tiles in enumerate(dealt)),
        )

    def _photos(self) -> tuple[str, ...]:
        """The photos of leftover tiles behind the facts. A correction discards the photos before it."""
        photos: tuple[str, ...] = ()
        for event in self.events:
            match event.body:
                case HandPhotographed():
                    photos = event.body.photos
                case HandCorrected():
                    photos = ()
        return photos

    def _term(self, side: int, rule: str, points: int, corridos: int) -> Term:
        known = HAND_TERMS[rule]
        clause = self._clause(known)
        return Term(
            name=rule,
            value=points,
            unit=say("points"),
            text=message(STATED, what=known.label) if self._rests_on_statement(known) else message(known.label),
            clause=clause.section,
            settings=settings_of(self.rulebook, clause, ("rulesets", self.played.ruleset)),
            facts=tuple(shown for fact in known.facts for shown in self._shown(fact, corridos)),
            because=self._because(known, corridos),
            side=side,
            of=competitor_of(self.played.sides[side]),
        )

    def _clause(self, term: HandTerm) -> Clause:
        clause = term.clause(self.played.ruleset)
        if term.name == "leftover" and self.ruleset.counted_pips == "all_on_block":
            clause = Clause(HOUSE_RULES, clause.settings)
        if self.known.ended_by == "domino" or not term.for_winning:
            return clause
        block = BLOCK[family_of(self.played.ruleset)]
        return Clause(f"{clause.section}; {block}", (*clause.settings, *BLOCK_SETTINGS))

    def _shown(self, fact: HandFact, corridos: int) -> tuple[Fact, ...]:  # noqa: C901, PLR0911  # one return for each fact
        """A fact behind a term; `corridos`: how many pases corridos the previous terms cover."""
        known, seats = self.known, self.played.seats
        match fact:
            case "closing":
                return (*closing_facts(known), *stated_facts(known, self.played))
            case "corrido":
                return (self._corrido(corridos),)
            case "drew":
                return facts(drew=known.drew)
            case "hand":
                return facts(hand=self.row.hand)
            case "leftover":
                return (*self._counted_pips(), *self._stated_winner())
            case "locker" | "went_out":
                return (seat_fact(fact, known.seat, seats),)
            case "opening_pass":
                return facts(opening_pass=known.opening_pass)
            case "score_before":
                return facts(score_before="-".join(map(str, self.score)))
            case "starter":
                return (seat_fact("starter", known.starter, seats),)
            case "winning_seat":
                return (self._winning_seat(), *self._stated_winner())

    def _winning_seat(self) -> Fact:
        unknown = "nobody" if self.row.winner is None else "not known"
        return seat_fact("winning_seat", self.row.winning_seat, self.played.seats, unknown)

    def _stated_winner(self) -> tuple[Fact, ...]:
        """The winner that the score sheet names, if that decided the hand; otherwise nothing."""
        if self.row.winner_by != "stated" or self.row.winner is None:
            return ()
        return (side_fact("stated_winner", self.row.winner, self.played),)

    def _because(self, term: HandTerm, corridos: int) -> tuple[Basis, ...]:
        """The event behind the term's fact. If only the score sheet names the winner, the hand's own event, too."""
        positions = [self._position(term, corridos)]
        if self._rests_on_statement(term):
            positions.append(self.row.position)
        return tuple(Basis(self.row.match_id, self.row.hand, position) for position in dict.fromkeys(positions))

    def _rests_on_statement(self, term: HandTerm) -> bool:
        return term.for_winning and self.row.winner_by == "stated"

    def _position(self, term: HandTerm, corridos: int) -> int:
        """The position of the event that records a term's fact; a correction records all facts again."""
        position: int = self.row.position
        if any(isinstance(event.body, HandCorrected) for event in self.events):
            return position
        kinds = tuple(RECORDED_BY[fact] for fact in term.facts if fact in RECORDED_BY)
        found = [
            event.entry.position
            for event in self.events
            if isinstance(event.body, BonusRecorded) and isinstance(event.body.bonus, kinds)
        ]
        return found[corridos if "corrido" in term.facts else 0] if found else position

    def _corrido(self, number: int) -> Fact:
        """Who made the pase corrido of this number, from 0: a seat, or a side."""
        seats, sides = self.known.corridos, self.known.side_corridos
        if seats is not None or sides is None:
            return seat_fact("by", None if seats is None else seats[number], self.played.seats)
        by_side = [side for side, count in enumerate(sides) for _ in range(count)]
        return side_fact("by", by_side[number], self.played)

    def _counted_pips(self) -> Iterator[Fact]:
        """The leftover of each seat whose pips count, or of the whole side if its seats were counted together."""
        known, mode, seats = self.known, self.played.mode, self.played.seats
        pips, partner_too = pips_by_seat(known), self.ruleset.counted_pips == "all_others"
        winner_too = self.ruleset.counted_pips == "all_on_block" and known.ended_by == "block"
        by_side, together = pips_by_side(known, pips, mode), list[int]()
        for seat in range(len(seats)):
            side = side_of(seat, mode)
            own = seat == self.row.winning_seat or (side == self.row.winner and not partner_too)
            if own and not winner_too:
                continue
            if pips[seat] is None and by_side[side] is not None:
                together.append(side)
            else:
                yield leftover_fact(f"seat {seat}", known, seat, seats)
        for side in dict.fromkeys(together):
            yield side_leftover_fact(f"side {side}", by_side[side] or 0, side, self.played)

    def _transcript(self) -> StoryEvent | None:
        """The event with the last transcript; None if a correction came after it, or there is none."""
        for event in reversed(self.events):
            if isinstance(event.body, HandCorrected):
                return None
            if isinstance(event.body, HandTranscribed):
                return event
        return None


def score_before(hands: Sequence[HandRow], sides: int) -> tuple[int, ...]:
    """The score by side after these hands."""
    score = (0,) * sides
    for row in hands:
        score = score_after(score, row.points, [rule for _, rule, _ in row.terms])
    return score


HOW = {"domino": "went_out", "block": "locked_it"}
"""How the seat ended the hand."""


def facts_of_hand(hand: HandFacts, played: MatchFacts) -> tuple[Fact, ...]:
    """What happened in a hand of this match."""
    seats = played.seats
    together = [(side, total) for side, total in enumerate(hand.side_leftover or ()) if total is not None]
    return (
        seat_fact("starter", hand.starter, seats),
        *facts(ended_by=hand.ended_by),
        seat_fact(HOW[hand.ended_by], hand.seat, seats),
        *closing_facts(hand),
        *facts(opening_pass=hand.opening_pass, corridos=hand.corridos),
        *(facts(corridos_by_side=hand.side_corridos) if hand.side_corridos is not None else ()),
        *facts(drew=hand.drew),
        *(leftover_fact(f"leftover of seat {seat}", hand, seat, seats) for seat in range(len(hand.leftover))),
        *(side_leftover_fact(f"leftover of side {side}", total, side, played) for side, total in together),
        *stated_facts(hand, played),
    )


def stated_facts(hand: HandFacts, played: MatchFacts) -> tuple[Fact, ...]:
    """The winner and the capicúa that the score sheet states."""
    winner, capicua = hand.stated_winner, hand.stated_capicua
    return (
        *(() if winner is None else (side_fact("stated_winner", winner, played),)),
        *(() if capicua is None else facts(stated_capicua=capicua)),
    )


def changed_facts(before: HandFacts, after: HandFacts, played: MatchFacts) -> Iterator[ChangedFact]:
    """The facts that a correction changed."""
    old, new = ({fact.name: fact for fact in facts_of_hand(hand, played)} for hand in (before, after))
    for name in old | new:
        was, now = old.get(name), new.get(name)
        if was != now:
            # A different seat is shown by its number; for the same seat the player is named.
            same = was is not None and now is not None and was.of == now.of
            of = was.of if same and was is not None else None
            yield ChangedFact(name, None if was is None else was.value, None if now is None else now.value, of)


def seat_fact(name: str, seat: int | None, seats: Sequence[str], unknown: str = "not known") -> Fact:
    """A seat, and its player."""
    return Fact(name, unknown) if seat is None else Fact(name, f"seat {seat}", seats[seat])


def side_fact(name: str, side: int, played: MatchFacts) -> Fact:
    """A side, and who plays on it."""
    return Fact(name, f"side {side}", competitor_of(played.sides[side]))


def leftover_fact(name: str, hand: HandFacts, seat: int, seats: Sequence[str]) -> Fact:
    """What a seat still held."""
    return facts_of(seats[seat], **{name: _held(hand.leftover[seat])})[0]


def side_leftover_fact(name: str, total: int, side: int, played: MatchFacts) -> Fact:
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
    """Tiles as text, such as `0-6 4-4`; `none` if there are none."""
    return " ".join(f"{low}-{high}" for low, high in tiles) or "none"


def _held(held: Held) -> str | None:
    pips = held_pips(held)
    if pips is None:
        return None
    return f"{pips} pips" + (f": {tiles_in_words(held)}" if isinstance(held, tuple) and held else "")


def corrections_of(story: MatchStory, hand: int | None = None) -> Iterator[Correction]:
    """Every correction of a match in order; `hand`: only those of this hand, and the voiding of the match."""
    for event in story.events:
        match event.body:
            case HandCorrected(hand=number, facts=facts, reason=reason) if hand in (None, number):
                played = event.before.played
                assert played is not None, "a hand that is corrected was played"
                changed = tuple(changed_facts(played.hands[number - 1], facts, played))
                yield Correction(event.entry, message(say("hand {hand} was corrected"), hand=number), reason, changed)
            case MatchReopened(reason=reason) if hand is None:
                yield Correction(event.entry, message(say("the end was taken back")), reason)
            case MatchVoided(reason=reason):
                yield Correction(event.entry, message(say("the match was voided")), reason)
