"""Matches: their players, their result and why; and the queries for them."""

from datetime import datetime
from enum import Enum
from typing import Annotated, Self

import strawberry
from msgspec.structs import replace
from strawberry import field

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import (
    BigInt,
    Competition,
    MatchMode,
    MatchStatus,
    NotJudgedRule,
    Tile,
    argument,
    optional,
    word,
)
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import (
    MatchFilterArgument,
    MatchId,
    MatchOrder,
    MatchOrderArgument,
    filter_and_order,
)
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.loaders.matches import LoadedHand
from league.api.graphql.shaping.loaders.runs import ExplainedInRun
from league.api.graphql.shaping.object_fields import (
    ExplanationRef,
    LogEventRef,
    PlayerRef,
    RatingChangeRef,
    RulesetRef,
    SeasonRef,
    TeamRef,
    cacheable_field_of,
    field_of,
    loaded_field,
)
from league.api.graphql.shaping.relay import Connection, Node, PageableList, cacheable_paged, local_id
from league.api.graphql.shaping.shared_fields import edition_field, event_field
from league.api.graphql.threads import in_thread
from league.api.matches.disputes import Confirmation, Dispute
from league.api.matches.hands import Hand, HandFactsInput, ScoreTerm, filled_from
from league.api.matches.scoring import ScoreHandPayload, score_in_match
from league.api.schema_part import SchemaPart, added_to
from league.domain import disputes as domain
from league.domain import match_faults, result
from league.domain.rules import Rulebook, Ruleset
from league.domain.seating import competitor_of, side_of
from league.explanations.matches import explain_match
from league.features import declared
from league.projections.queries import matches as reads
from league.projections.queries.catalogue import SeasonRow, all_seasons
from league.projections.queries.log import LogEntry
from league.projections.queries.matches import ChangeRow, DisputeRow, MatchRow
from league.projections.queries.players import PlayerRow, players_by_id
from league.wording.language import spoken


@strawberry.enum(description="Why an announced score may be wrong.")
class ScoreDoubt(Enum):
    BELOW_TARGET = word("below_target", "The winner has less than the target: was play stopped early?")
    LOSER_AT_TARGET = word(
        "loser_at_target", "A loser has reached the target, although only the winner of a hand scores."
    )
    ABOVE_ONE_HAND = word(
        "above_one_hand", "The winner has more than the settings allow: one hand on top of a score below the target."
    )


@strawberry.type(description="An announced score that may be a slip of the pen. It is stored all the same.")
class ScoreNote:
    doubt: ScoreDoubt = field(description="What is doubtful.")
    score: int = field(description="The score in doubt.")
    target: int = field(description="The target of the ruleset.")
    most: int | None = field(description="For `ABOVE_ONE_HAND`, the most that a winner can have; else null.")
    message: str = field(description="What to check, in the language of the request.")

    @classmethod
    def of(cls, found: match_faults.AnnouncedNote) -> "ScoreNote":
        """A note of the domain."""
        return made_of(cls, found, message=spoken(found.sentence))


@strawberry.input(description="What the table announced.")
class AnnouncedInput:
    winner: int = field(description="The side that won.")
    score: list[int] | None = optional("The score by side; null when it was not announced.")

    def read(self) -> result.AnnouncedResult:
        """The input as the domain's type."""
        return result.AnnouncedResult(self.winner, None if self.score is None else tuple(self.score))


async def score_notes(info: Info, match_id: str, announced: result.AnnouncedResult | None = None) -> list[ScoreNote]:
    """Notes on the announced result of a match without hands, or on `announced` as if it were recorded."""
    facts, row = await loaders.matches.facts(info, match_id), await loaders.matches.match(info, match_id)
    if row is None or facts is None or facts.state.played is None:
        return []
    played = facts.state.played
    if announced is None and played.ended_at is not None:
        announced = played.announced
    if announced is None or played.hands or played.voided or played.forfeited_by is not None:
        return []
    if not 0 <= announced.winner < len(played.sides) or len(announced.score or played.sides) != len(played.sides):
        return []
    questions = [part.has_bell for part in declared(SchemaPart) if part.has_bell is not None]
    bells = [await info.context.reader.load(question, match_id) for question in questions]
    ruleset = (await loaders.runs.rulebook(info, row.edition)).rulesets[played.ruleset]
    found = match_faults.notes_on(announced, ruleset, played.mode, len(played.seats), has_bell=any(bells))
    return [ScoreNote.of(note) for note in found]


@strawberry.type(description="What a table announced: evidence, and the result of a match without hands.")
class Announced:
    winner: int = field(description="The side announced as the winner.")
    score: list[int] | None = field(description="The announced score, by side.")


@strawberry.type(description="A seat at the table.")
class Seat:
    number: int = field(description="From 0 in the order of play.")
    side: int = field(description="The side that it plays for.")
    player_id: str = field(description="The id in the league of its player.")

    player = loaded_field(PlayerRef, "Its player.", players_by_id, lambda seat: seat.player_id)


@strawberry.type(description="A side of a match: a pair or a single player.")
class Side:
    number: int = field(description="From 0.")
    won: bool | None = field(description="Whether it won; null while the match is not decided.")
    score: int | None = field(description="Its final or running score; null in rulesets without one.")
    player_ids: strawberry.Private[tuple[str, ...]]

    @cacheable_field_of(list[PlayerRef], "The players of the side.")
    async def players(self, info: Info) -> list[PlayerRow]:
        return await loaders.players.players(info, self.player_ids)

    @cacheable_field_of(
        TeamRef | None, "The fixed pair of the side; null for one player, and before the pair's first rated match."
    )
    async def team(self, info: Info) -> str | None:
        if len(self.player_ids) == 1:
            return None
        return await loaders.players.rated_team(info, competitor_of(self.player_ids))


@strawberry.type(description="What a voided match had come to. It counts for nothing.")
class ScoreBeforeVoid:
    score: list[int] | None = field(description="The score by side; null in rulesets without one, and without hands.")
    points_of_hands: list[list[int]] = field(description="What each hand had added to the score, by side, in order.")


@strawberry.type(description="One match: played until a side meets the end condition of its ruleset.")
class Match(*added_to("match"), FromRow, Node, key="match_id", not_judged_rules="not_judged"):  # type: ignore[misc]  # features add fields
    match_id: str = field(description="The id in the league, as in the log and in exports.")
    mode: MatchMode = field(description="How it is played.")
    competition: Competition = field(description="What it counts for.")
    status: MatchStatus = field(description="Its status.")
    began_at: datetime = field(description="When it began, which determines its season and its edition of the rules.")
    decided_at: datetime | None = field(
        description="When it was decided; null while it is open or pending, and when voided."
    )
    winner: int | None = field(
        description="The side that has won, or, while the match is pending, that will have won once it is confirmed; "
        "null while it is open, and when voided."
    )
    score: list[int] | None = field(
        description="The score by side; null in rulesets without one, when it is not known, and when voided."
    )
    last_hand: int | None = field(
        description="The number of the hand that met the end condition; null when none did: still open, stopped early, "
        "forfeited, voided, or recorded without its hands."
    )
    terms: list[ScoreTerm] = field(description="Points that were added to the final score but to no hand.")
    not_judged_rules: list[NotJudgedRule] = field(
        description="Terms of the rating's modifier that needed a fact that is not known."
    )
    announced: Announced | None = field(description="What the table announced.")
    seats: list[Seat] = field(description="The seats, in the order of play.")
    row: strawberry.Private[MatchRow]

    @field(
        description="What to check of a score before it is recorded as the result of this match: `notes` of "
        "`recordResult`. Empty when nothing is doubtful, and for a match with hands."
    )
    async def score_notes(
        self, info: Info, announced: Annotated[AnnouncedInput, argument("What the table announced.")]
    ) -> list[ScoreNote]:
        return await score_notes(info, self.match_id, announced.read())

    @classmethod
    def of(cls, row: MatchRow) -> Self:
        """A row of matches."""
        announced = None if row.announced is None else Announced(**row.announced)
        seats = [
            Seat(number=number, side=side_of(number, row.mode), player_id=player)
            for number, player in enumerate(row.seats)
        ]
        return made_of(cls, row, announced=announced, seats=seats)

    @field(description="The sides: two pairs, or each player for themselves.")
    def sides(self) -> list[Side]:
        sides: dict[int, list[str]] = {}
        for seat in self.seats:
            sides.setdefault(seat.side, []).append(seat.player_id)
        decided = self.winner is not None and self.decided_at is not None
        return [
            Side(
                number=number,
                won=number == self.winner if decided else None,
                score=None if self.score is None else self.score[number],
                player_ids=tuple(players),
            )
            for number, players in sorted(sides.items())
        ]

    @cacheable_field_of(list[Hand], "Its hands with their facts and their scores, in order.")
    async def hands(self, info: Info) -> list[LoadedHand]:
        return await loaders.matches.hands(info, self.match_id)

    @field(description="What it had come to before it was voided; null: it is not voided.")
    @cacheable
    async def before_void(self, info: Info) -> ScoreBeforeVoid | None:
        facts = await loaders.matches.facts(info, self.match_id)
        played = None if facts is None else facts.state.played
        if played is None or not played.voided:
            return None
        ruleset = (await loaders.runs.rulebook(info, self.row.edition)).rulesets[played.ruleset]
        before = result.result_of(replace(played, voided=False), ruleset)
        points = [list(hand.points) for hand in before.hands]
        return ScoreBeforeVoid(score=list(before.score) if points and before.score else None, points_of_hands=points)

    @cacheable_field_of(Hand | None, "One of its hands; null when it has no hand of this number.")
    async def hand(self, info: Info, number: Annotated[int, argument("Its number, from 1.")]) -> LoadedHand | None:
        return await loaders.matches.hand(info, self.match_id, number)

    @field(
        description="What a hand would score in this match, under its rules and after the hands before it. Nothing is "
        "stored."
    )
    async def score_hand(
        self,
        info: Info,
        facts: Annotated[HandFactsInput, argument("What happened in the hand.")],
        hand: Annotated[
            int | None, argument("The number of a recorded hand that it would replace; null: it is the next hand.")
        ] = None,
        photos: Annotated[
            list[strawberry.ID] | None, argument("Photos of the hand, whose settled or proposed counts are taken.")
        ] = None,
    ) -> ScoreHandPayload:
        fill = await filled_from(info.context, self.match_id, photos or [])
        return await in_thread(score_in_match, info, self.match_id, facts, hand, fill)

    @field(description="When it is decided unless a dispute is open then; null unless it is pending.")
    @cacheable
    async def confirm_by(self, info: Info) -> datetime | None:
        facts = await loaders.matches.facts(info, self.match_id)
        return None if facts is None else facts.state.review.confirm_by

    @cacheable_field_of(list[Confirmation], "The confirmations of the current result by its players.")
    async def confirmations(self, info: Info) -> list[domain.Confirmation]:
        facts = await loaders.matches.facts(info, self.match_id)
        return [] if facts is None else list(facts.state.review.confirmations)

    @cacheable_field_of(Dispute | None, "Its open dispute; null: its result is not disputed now.")
    async def dispute(self, info: Info) -> DisputeRow | None:
        disputes = await loaders.matches.disputes(info, self.match_id)
        return next((one for one in disputes if one.outcome is None), None)

    @cacheable_field_of(list[Dispute], "All disputes of its result, in order.")
    async def disputes(self, info: Info) -> list[DisputeRow]:
        return await loaders.matches.disputes(info, self.match_id)

    @field(description="The tiles of the starting draw by seat; null when they were not recorded.")
    @cacheable
    async def starting_draw(self, info: Info) -> list[Tile] | None:
        facts = await loaders.matches.facts(info, self.match_id)
        drawn = None if facts is None or facts.state.played is None else facts.state.played.starting_draw
        return None if drawn is None else [Tile(tile) for tile in drawn]

    @field_of(
        ExplanationRef,
        "Why it ended so: what each hand gave to each side, and what was corrected; for a voided match the event that "
        "voided it.",
    )
    async def explanation(self, info: Info) -> ExplainedInRun:
        return await loaders.runs.explained(info, explain_match, self.match_id)

    @cacheable_field_of(list[RatingChangeRef], "The rating changes it caused: of players, and of fixed pairs.")
    async def rating_changes(self, info: Info) -> list[ChangeRow]:
        return await loaders.matches.changes(info, self.match_id)

    @cacheable_field_of(SeasonRef | None, "The season in which it began.")
    async def season(self, info: Info) -> SeasonRow | None:
        seasons = await info.context.reader.once(all_seasons)
        return next((one for one in seasons if one.holds(self.began_at)), None)

    edition = edition_field("The edition of the rules under which it is scored.", "row.edition")

    @cacheable_field_of(RulesetRef, "How it is played, as its edition of the rules defines it.")
    async def ruleset(self, info: Info) -> tuple[str, Ruleset, Rulebook]:
        rulebook = await loaders.runs.rulebook(info, self.row.edition)
        return self.row.ruleset, rulebook.rulesets[self.row.ruleset], rulebook

    @field(description="The position of the event that decided it or voided it; null while it is open or pending.")
    def position(self) -> BigInt | None:
        return None if self.row.position is None else BigInt(self.row.position)

    event = event_field(
        "The event that decided it or voided it; null while it is open or pending.", "row.position", null=True
    )

    @field_of(list[LogEventRef], "All events of the match, in the order of the log.")
    async def log(self, info: Info) -> list[LogEntry]:
        return await loaders.matches.events(info, f"match:{self.match_id}")

    @field(
        description="A JSON document that proves that the events of the match are in the log under the latest signed "
        "head: the file that `league check-proof` reads. Null while no head covers all of them. The document names the "
        "actors of the events, so it is also null unless the viewer is an auditor, an admin, or a player of the match."
    )
    async def proof(self, info: Info) -> str | None:
        reach = info.context.viewer.reach("readProof")
        if reach == "any" or (reach == "own" and await in_thread(info.context.is_one_of, self.row.seats)):
            return await loaders.matches.proof_of_match(info, self.match_id)
        return None


@strawberry.type
class MatchQueries:
    @cacheable_field_of(Match | None, "One match; null when the league does not know it.")
    async def match(self, info: Info, id: MatchId) -> MatchRow | None:  # noqa: A002  # the argument's name in the schema
        return await loaders.matches.match(info, local_id("Match", id))

    @cacheable_paged(Connection[Match], "Matches. The latest to begin comes first unless `orderBy` says otherwise.")
    async def matches(
        self,
        info: Info,
        filter_: MatchFilterArgument = None,
        order_by: MatchOrderArgument = MatchOrder.BEGAN_LATEST_FIRST,
    ) -> PageableList[MatchRow]:
        wanted, order = await filter_and_order(info, filter_, order_by)
        return PageableList(MatchRow, lambda run: (reads.matches(run, wanted), order))
