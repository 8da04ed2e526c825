"""What a hand scores, and what the rules do not judge."""

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Annotated, Any

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import MatchMode, MatchStatus, NotJudgedRule, Tile, argument, optional, word
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.from_rows import made_of
from league.api.graphql.shaping.mutations import with_input_path
from league.api.graphql.shaping.user_errors import InvalidInputError, NotFoundError, WrongStateError, graphql_name
from league.api.graphql.threads import in_thread
from league.api.matches.hands import (
    PATHS,
    HandFacts,
    HandFactsInput,
    ScoreTerm,
    TranscriptInput,
    WinnerBy,
    facts_fields,
    read_facts,
    read_transcript,
)
from league.api.schema_part import Filled
from league.domain import hand as hands
from league.domain import not_judged
from league.domain.hand import HandContext
from league.domain.hand_faults import checked
from league.domain.refusals import InvalidInput, NotFound, Refusal
from league.domain.result import ScoredMatch, match_after, result_of, score_after, score_in_place
from league.domain.rules import Mode, Ruleset
from league.domain.scoring import HandScore, score_hand
from league.domain.seating import MODES, SEATS, count_sides, side_of
from league.domain.sentences import either, say
from league.domain.tiles import full_set, ordered, tile_pips, total_pips
from league.domain.transcript import derive_facts
from league.wording.facts import not_judged_in_words

HAND_RECORDED = "hand-recorded/"
"""Prefix of the stored names of events that record a hand; a version follows."""


@strawberry.enum(description="Why something was not judged.")
class NotJudgedReason(Enum):
    UNKNOWN = word("unknown", "It needs a fact that is not known; the rule gave nothing.")
    NOT_PLAYED = word("not_played", "The ruleset does not play this; the fact is stored but not used.")
    FACTS_HOLD = word("facts_hold", "The facts of the hands say something else, and they hold.")
    AFTER_END = word("after_end", "The hand came after the end of the match; it counts for nothing.")


@strawberry.type(description="Something that the rules did not judge.")
class NotJudged:
    rule: NotJudgedRule = field(description="What was not judged.")
    reason: NotJudgedReason = field(description="Why.")
    hand: int | None = field(description="The number of the hand; null: the match as a whole, or a hand by itself.")
    field_: list[str] | None = strawberry.field(
        name="field",
        description="The path within `input` of the fact that is needed, or was not used. Null: the input has no such "
        "field, as where the hand was sent turn by turn.",
    )
    message: str = field(description="What was not judged and what would be needed, in the language of the request.")
    seat: int | None = field(description="The seat whose leftover is needed; null where it is another fact.")

    @classmethod
    def of(cls, found: not_judged.NotJudged, paths: Mapping[str, str] | None = None) -> "NotJudged":
        """Made from the domain's. `paths`: input paths by the first part of the domain's; None: there are none."""
        path = None
        if found.at not in (None, not_judged.PREVIOUS) and paths is not None:
            first, *rest = found.at.split(".")
            path = [graphql_name(part) for part in (*paths.get(first, first).split("."), *rest)]
        reason, leftover = NotJudgedReason(found.why), re.fullmatch(r"leftover\.(\d+)", found.at or "")
        seat = None if leftover is None else int(leftover[1])
        return made_of(cls, found, reason=reason, field_=path, message=not_judged_in_words(found), seat=seat)


async def number_recorded(info: Info, match_id: str, position: int) -> int:
    """The number of the hand that the event at a position recorded."""
    events = await loaders.matches.events(info, f"match:{match_id}")
    return sum(event.name.startswith(HAND_RECORDED) and event.position <= position for event in events)


async def not_judged_after(
    info: Info, match_id: str, position: int, *, hand: int | None, paths: Mapping[str, str] | None
) -> list[NotJudged]:
    """What the rules did not judge in a mutation's input: its hand, the end of the match, the announced result.

    `hand`: the number of the hand that it is about; 0: the hand that it recorded at this position. `paths`: the paths
    of the hand in the input; None: the input does not have the facts of the hand.
    """
    facts, row = await loaders.matches.facts(info, match_id), await loaders.matches.match(info, match_id)
    if row is None or facts is None or facts.state.played is None or facts.state.played.voided:
        return []
    if hand == 0:
        hand = await number_recorded(info, match_id, position)
    played = facts.state.played
    rulebook = await loaders.runs.rulebook(info, row.edition)
    ruleset = rulebook.rulesets[played.ruleset]
    found = not_judged.not_judged_in_match(played, ruleset, result_of(played, ruleset))

    def paths_of(one: not_judged.NotJudged) -> Any:
        return paths if one.hand == hand else None

    # Only the end of the match asks who locked its last hand.
    of_the_match = (
        one for one in found if one.hand in (None, hand) or one.why == "after_end" or one.rule == not_judged.LAST_BLOCK
    )
    return [NotJudged.of(one, paths_of(one)) for one in of_the_match]


HIGHEST_SCORE = 1_000_000
SCORED = argument("A hand to score, and the rules.", name="input")
PLAYED = argument("The turns of a hand, and the rules.", name="input")


@strawberry.input(description="The rules to score under.")
class UnderRulesInput:
    ruleset: str = field(description="Its name, such as `cuban-150`.")
    edition: int | None = optional("The number of the edition; null: the one in force now.")
    mode: MatchMode = field(description="How the match is played.")


@strawberry.input(description="A hand, and the state of the match before it.")
class ScoreHandInput(UnderRulesInput):
    facts: HandFactsInput = field(description="What happened in the hand.")
    number: int = field(default=1, description="The number of the hand in its match, from 1.")
    score: list[int] | None = optional("The score by side before the hand; null: 0 for each side.")
    last_winning_seat: int | None = optional(
        "Who won the last hand that had a winner; either partner if only the side is known."
    )
    starting_draw: list[Tile] | None = optional("The tile that each seat drew to start.")


@strawberry.type(description="How a match stands once a hand is stored.")
class MatchAfterHand:
    status: MatchStatus = field(description="Its status, unless the league asks for confirmations of a new result.")
    score: list[int] | None = field(description="The score by side; null in rulesets without one.")
    last_hand: int | None = field(
        description="The number of the hand that meets the end condition; null when none does: play goes on, or, if "
        "the match has ended, it is cut short."
    )


@strawberry.type(description="What a hand scores under some rules.")
class ScoredHand:
    winner: int | None = field(description="The side that won it; null when no side won, or when it is not known.")
    winning_seat: int | None = field(description="The seat that won it; null also where only the side is known.")
    winner_by: WinnerBy | None = field(description="What names the winner; null when no side won it.")
    points: list[int] = field(description="What it adds to the score, by side.")
    terms: list[ScoreTerm] = field(description="Where the points come from; their sum by side is `points`.")
    not_judged: list[NotJudged] = field(description="What is not judged, and the fact that it would need.")
    leftover_pips: int = field(description="The leftover pips that the winner scores, without bonuses.")
    is_capicua: bool | None = field(description="Whether it is a capicúa that is not void; null: not known.")
    score: list[int] = field(description="The score by side after the hand.")
    match_after: MatchAfterHand | None = field(
        description="How the match stands once the hand is stored; null where the hand is scored by itself."
    )

    @classmethod
    def of(
        cls,
        facts: hands.HandFacts,
        ruleset: Ruleset,
        mode: Mode,
        hand: HandScore,
        before: Sequence[int],
        paths: Mapping[str, str] | None = PATHS,
        after: ScoredMatch | None = None,
    ) -> "ScoredHand":
        """A hand and what it scores; `before` is the score before it, `paths` as for `NotJudged.of`.

        `after`: the match once the hand is stored; None: the hand is scored by itself.
        """
        return made_of(
            cls,
            hand,
            terms=[ScoreTerm.of([term.side, term.rule, term.points]) for term in hand.terms],
            not_judged=[NotJudged.of(one, paths) for one in not_judged.not_judged_in_hand(facts, ruleset, mode, hand)],
            leftover_pips=hand.leftover,
            is_capicua=hand.capicua,
            score=list(score_after(tuple(before), hand.points, [term.rule for term in hand.terms])),
            match_after=None if after is None else made_of(MatchAfterHand, after, status=MatchStatus(after.status)),
        )


ScoreHandPayload = Annotated[
    ScoredHand | InvalidInputError | NotFoundError | WrongStateError,
    strawberry.union("ScoreHandPayload", description="What a hand scores, or why it cannot be computed."),
]


@strawberry.input(description="The turns of a hand.")
class DeriveFactsInput(UnderRulesInput):
    transcript: TranscriptInput = field(description="The tiles dealt, and every turn.")


@strawberry.type(description="The facts that follow from the turns of a hand.")
class DerivedFacts(HandFacts):
    @classmethod
    def of(cls, facts: hands.HandFacts) -> "DerivedFacts":
        """The facts of a hand that was played through."""
        return cls(**facts_fields(facts))


DeriveFactsPayload = Annotated[
    DerivedFacts | InvalidInputError | NotFoundError | WrongStateError,
    strawberry.union("DeriveFactsPayload", description="The facts of a hand, or the first impossible turn."),
]


@strawberry.type
class ScoringQueries:
    @field(
        description="The value of a tile: the sum of its halves. An impossible tile gives an error with the code "
        "BAD_REQUEST."
    )
    def tile_value(self, tile: Annotated[Tile, argument("A tile of a double-nine set.")]) -> int:
        return tile_pips(*_of_one_set([tile], "tile"))

    @field(
        description="The total of a hand: the sum of its tiles' values. An impossible tile, or a tile that occurs "
        "twice, gives an error with the code BAD_REQUEST."
    )
    def hand_total(
        self, tiles: Annotated[list[Tile], argument("Tiles of one double-nine set, each at most once.")]
    ) -> int:
        return total_pips(_of_one_set(tiles, "tiles"))

    @field(description="The winner of a hand, the points, and why. Nothing is stored.")
    async def score_hand(self, info: Info, given: Annotated[ScoreHandInput, SCORED]) -> ScoreHandPayload:
        ruleset = await in_thread(_ruleset, info, given)
        mode: Mode = given.mode.value
        try:
            facts = read_facts(given.facts)
            seats = _seats(mode, len(facts.leftover), "leftover")
            facts = checked(facts, ruleset, mode, seats)
        except Refusal as refusal:
            raise with_input_path(refusal, PATHS) from None
        before = _before(given, ruleset, mode, seats)
        hand = score_hand(facts, ruleset, mode, before)
        return ScoredHand.of(facts, ruleset, mode, hand, before.score)

    @field(description="The facts of a hand from its turns. Nothing is stored.")
    async def derive_facts(self, info: Info, given: Annotated[DeriveFactsInput, PLAYED]) -> DeriveFactsPayload:
        ruleset = await in_thread(_ruleset, info, given)
        transcript = read_transcript(given.transcript)
        try:
            seats = _seats(given.mode.value, len(transcript.dealt), "dealt")
            facts = derive_facts(transcript, ruleset, seats)
        except Refusal as refusal:
            raise with_input_path(refusal, {"dealt": "transcript.dealt", "plays": "transcript.plays"}) from None
        return DerivedFacts.of(facts)


def score_in_match(info: Info, match: str, given: HandFactsInput, hand: int | None, fill: Filled) -> ScoredHand:
    """Score a hand in its place in a match. Blocks. Raises Refusal."""
    states = info.context.states()
    played = states.match(match).played
    assert played is not None, "the read side knows the match"
    number = len(played.hands) + 1 if hand is None else hand
    if not 1 <= number <= len(played.hands) + 1:
        raise NotFound("hand", "hand", str(number))
    ruleset = states.rulebook().at(played.began_at).rulesets[played.ruleset]
    try:
        facts = read_facts(given)
        _seats(played.mode, len(facts.leftover), "leftover")
        scored = score_in_place(fill(facts, number, played.mode), number, played, ruleset)
    except Refusal as refusal:
        raise with_input_path(refusal, PATHS) from None
    after = match_after(scored.facts, number, played, ruleset)
    return ScoredHand.of(scored.facts, ruleset, played.mode, scored.score, scored.before, after=after)


def _of_one_set(tiles: list[Tile], argument: str) -> list[Tile]:
    """The tiles, if one set contains them. Raises RequestError: these fields return a plain number."""
    seen: set[tuple[int, int]] = set()
    for tile in tiles:
        if ordered(tile) not in full_set("double-nine"):
            text = say(
                "`{argument}`: there is no tile {tile} in a double-nine set.", argument=argument, tile=list(tile)
            )
            raise RequestError(text, argument=argument)
        if ordered(tile) in seen:
            text = say("`{argument}`: the tile {tile} is named twice.", argument=argument, tile=list(tile))
            raise RequestError(text, argument=argument)
        seen.add(ordered(tile))
    return tiles


def _ruleset(info: Info, given: UnderRulesInput) -> Ruleset:
    """Blocks; raises NotFound, InvalidInput."""
    rules = info.context.states().rulebook()
    edition = rules.at(info.context.clock()) if given.edition is None else rules.edition(given.edition)
    ruleset = edition.ruleset(given.ruleset)
    if ruleset is None:
        raise NotFound("ruleset", "ruleset", given.ruleset, tuple(sorted(edition.rulesets)))
    if given.mode.value not in ruleset.modes:
        played, mode = either(MODES[mode] for mode in ruleset.modes), MODES[given.mode.value]
        reason = say("{ruleset} is played {modes}, not {mode}", ruleset=say(ruleset.title), modes=played, mode=mode)
        raise InvalidInput("mode", reason)
    return ruleset


def _seats(mode: Mode, given: int, at: str) -> int:
    if given not in SEATS[mode]:
        wanted = either(map(str, SEATS[mode]))
        raise InvalidInput(
            at,
            say(
                "{mode} is played by {wanted} players: there must be an entry for each of them, not {given}",
                mode=mode,
                wanted=wanted,
                given=given,
            ),
        )
    return given


def _before(given: ScoreHandInput, ruleset: Ruleset, mode: Mode, seats: int) -> HandContext:
    sides = count_sides(mode, seats)
    score = tuple(given.score or (0,) * sides)
    if len(score) != sides or not all(0 <= points <= HIGHEST_SCORE for points in score):
        reason = say("a score has {sides} entries from 0 to {highest_score}", sides=sides, highest_score=HIGHEST_SCORE)
        raise InvalidInput("score", reason)
    if given.number < 1:
        raise InvalidInput("number", say("hands are numbered from 1"))
    if given.last_winning_seat is not None and not 0 <= given.last_winning_seat < seats:
        raise InvalidInput("lastWinningSeat", say("the seats are 0 to {seats}", seats=seats - 1))
    draw = None if given.starting_draw is None else tuple(given.starting_draw)
    if draw is not None and (len(draw) != seats or any(ordered(tile) not in full_set(ruleset.set) for tile in draw)):
        raise InvalidInput(
            "startingDraw", say("a starting draw has {seats} tiles of a {set} set", seats=seats, set=ruleset.set)
        )
    last_winner = None if given.last_winning_seat is None else side_of(given.last_winning_seat, mode)
    return HandContext(given.number, score, last_winner, starting_draw=draw)
