"""GraphQL types of the standing of a tournament: each value down to the matches that it rests on."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple, Self

import strawberry
from msgspec import Struct
from strawberry import field

from league.api.graphql.executing.plain_fields import FieldLoad
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.object_fields import made_field
from league.api.graphql.shaping.relay import Connection, PageableInMemory, cacheable_paged
from league.api.graphql.shaping.shared_fields import competitor_field
from league.tournaments.api.names import display_name_field
from league.tournaments.api.plans import TieBreakName
from league.tournaments.domain.outcomes import Outcomes, RoundOutcome
from league.tournaments.domain.plan import RulesVersion, TieBreak, tie_breaks_of
from league.tournaments.domain.possible import RankBounds
from league.tournaments.domain.standing import StandingPlace, TieBreakTerm, as_read, terms
from league.tournaments.seen_tournaments import SeenTournament
from league.tournaments.tournament_queries import provisional_places


class PartRow(NamedTuple):
    """A term of a tie-break, with its value as people read it."""

    part: TieBreakTerm
    value: int | None


class OutcomeRow(NamedTuple):
    """An outcome of a competitor."""

    outcome: RoundOutcome


class ShownStanding(Struct, frozen=True):
    """A standing under an order of tie-breaks."""

    places: Sequence[StandingPlace]
    names: tuple[TieBreak, ...]
    outcomes: Outcomes
    bounds: Mapping[str, RankBounds]
    withdrawn: AbstractSet[str]
    rules: RulesVersion
    annulled: AbstractSet[str]
    provisional_of: str | None = None
    """Id of the tournament whose provisional standing belongs to it; None under another order or after a round."""

    def level(self, place: StandingPlace, number: int) -> tuple[str, ...]:
        """Ids of the competitors who are level with a place before the tie-break with this number decides."""
        same = (place.group, place.won, place.values[:number])
        return tuple(other.id for other in self.places if (other.group, other.won, other.values[:number]) == same)


class PlaceRow(NamedTuple):
    """A place with the standing that it is in."""

    place: StandingPlace
    standing: ShownStanding


@strawberry.type(description="What one round, or one opponent in it, adds to the value of a tie-break.")
class TieBreakPart(FromRow, opponent_id="opponent"):
    round: int = field(description="The round.")
    value: int = field(description="What it adds.")
    counts: bool = field(description="Whether it counts: `BUCHHOLZ_CUT` and `BUCHHOLZ_MEDIAN` leave some out.")
    opponent_id: str | None = field(description="The opponent that it comes from; null if it comes from no opponent.")

    @classmethod
    def of(cls, row: PartRow) -> Self:
        """Make the type from a term."""
        return made_of(cls, row.part, opponent_id=row.part.opponent, value=row.value)


@strawberry.type(description="A competitor's value of one tie-break.")
class TieBreakValue:
    name: TieBreakName = field(description="The tie-break.")
    value: int | None = field(
        description="A higher value is better; with `FEWEST_BYES` a lower one. Null for `DIRECT` if not all who are "
        "level have met. Tournaments with `rules` 1 have minus one for each bye, and 0 instead of null."
    )
    at: strawberry.Private[tuple[PlaceRow, int]]

    @cacheable_paged(
        Connection[TieBreakPart],
        "What the value is made of, round by round. `BEST_HAND` lists the best hand of each match.",
    )
    async def parts(self) -> PageableInMemory[PartRow]:
        (place, standing), number = self.at
        name: TieBreak = self.name.value
        parts = terms(name, place.id, standing.outcomes, standing.level(place, number))
        rows = [PartRow(part, as_read(name, part.value, standing.rules)) for part in parts]
        return PageableInMemory(sorted(rows, key=_part), _part, "parts")


def _part(row: PartRow) -> list[Any]:
    return [row.part.round, row.part.opponent or ""]


@strawberry.type(description="What a round came to for a competitor.")
class TournamentOutcome(FromRow, opponent_ids="opponents"):
    round: int = field(description="The round.")
    won: bool = field(description="Whether it counts as won.")
    lost: bool = field(description="Whether it counts as lost. A bye or walkover may count as neither.")
    own: int = field(
        description="The competitor's match points, as the standing counts them; in a knock-out games won."
    )
    other: int = field(
        description="Match points of the other side, as the standing counts them; in a knock-out games won."
    )
    difference: int = field(description="What it adds to the tie-break `DIFFERENCE`.")
    opponent_ids: list[str] = field(
        description="The opponents; none after a bye. After a walkover or a double absence the other side if it counts "
        "as a match of the two: in round robins and fixtures, unless `rules` is 1."
    )
    known: bool = field(description="False if the match counts 0 to 0 because nobody wrote its score down.")

    @classmethod
    def of(cls, row: OutcomeRow) -> Self:
        """Make the type from an outcome."""
        return made_of(cls, row.outcome)


def _provisional_of(place: Any) -> Sequence[str]:
    """The tournament whose provisional standing has this place too; none if it has none."""
    of = place.at.standing.provisional_of
    return () if of is None else (of,)


def _now(place: Any, found: Sequence[Mapping[str, StandingPlace] | None], name: str) -> int | None:
    """A value of the place that the competitor would have if each open match ended now."""
    now = found[0].get(place.competitor_id) if found and found[0] is not None else None
    return None if now is None else getattr(now, name)


@strawberry.type(description="A competitor's place in the standing of a tournament.")
class TournamentPlace:
    rank: int | None = field(
        description="From 1. Competitors who are level in everything share a rank. In a knock-out, who is still in "
        "shares the best rank that all of them can reach. Null for who is out of the standing (`annulled`), and for "
        "who left before the first round of a knock-out or of groups; they come last."
    )
    annulled: bool = field(
        description="Whether none of their meetings counts, because they left with fewer than half of them played."
    )
    competitor_id: str = field(description="The id in the league: of a player, or of a pair as `a+b`.")
    won: int = field(
        description="Matches won, with byes and walkovers as the plan counts them; in a knock-out ties won."
    )
    lost: int = field(
        description="Matches lost, with walkovers. From `rules` 2 byes and walkovers that are not won are not "
        "lost either."
    )
    byes: int = field(description="Rounds in which they sat out.")
    unknown_scores: int = field(
        description="Matches that count 0 to 0 in the tie-breaks because nobody wrote their score down."
    )
    withdrew: bool = field(description="Whether they have withdrawn.")
    values: list[int | None] = field(description="The `value` of each tie-break, in the requested order.")
    group: int | None = field(description="The number of their group; null in other formats, and before the drawing.")
    group_rank: int | None = field(
        description="Their rank in the group, which `won`, `lost` and `tieBreaks` are of; null for who is out of it."
    )
    reached: int | None = field(
        description="The last round in which they have a place in the bracket of the knock-out; null if they have none."
    )
    best_rank: int | None = field(
        description="The best final rank that is still possible; null under another order than the plan's, after an "
        "earlier round, and for who will have no rank."
    )
    worst_rank: int | None = field(
        description="The worst final rank that is still possible; null under another order than the plan's, after an "
        "earlier round, and for who will have no rank."
    )
    at: strawberry.Private[PlaceRow]

    @field(description="The values of the tie-breaks, in the requested order.")
    def tie_breaks(self) -> list[TieBreakValue]:
        return [
            TieBreakValue(name=TieBreakName(name), value=value, at=(self.at, number))
            for number, (name, value) in enumerate(zip(self.at.standing.names, self.values, strict=True))
        ]

    provisional_rank = made_field(
        int | None,
        "The rank if each open match ended now, as in `provisionalStanding`. Null if no open match has a leading side, "
        "without a rank, under another order than the plan's, and after an earlier round.",
        FieldLoad(provisional_places, _provisional_of, lambda root, found: _now(root, found, "rank")),
    )
    provisional_won = made_field(
        int | None,
        "Matches won if each open match ended now; null if no open match has a leading side, under another order than "
        "the plan's, and after an earlier round.",
        FieldLoad(provisional_places, _provisional_of, lambda root, found: _now(root, found, "won")),
    )

    competitor = competitor_field("The player, or the pair.")
    display_name = display_name_field()

    @cacheable_paged(Connection[TournamentOutcome], "What each round came to, in the order of the rounds.")
    async def outcomes(self) -> PageableInMemory[OutcomeRow]:
        rows = [OutcomeRow(one) for one in self.at.standing.outcomes[self.competitor_id]]
        return PageableInMemory(rows, lambda row: [row.outcome.round], "outcomes")

    @classmethod
    def of(cls, row: PlaceRow) -> Self:
        """Make the type from a place."""
        place, standing = row
        values = [
            as_read(name, value, standing.rules) for name, value in zip(standing.names, place.values, strict=True)
        ]
        own, bounds = standing.outcomes[place.id], standing.bounds.get(place.id)
        return cls(
            rank=place.rank,
            annulled=place.id in standing.annulled,
            competitor_id=place.id,
            won=place.won,
            lost=place.lost,
            byes=place.byes,
            group=place.group,
            group_rank=place.group_rank,
            reached=place.reached,
            unknown_scores=sum(not one.known for one in own),
            withdrew=place.id in standing.withdrawn,
            values=values,
            best_rank=None if bounds is None else bounds.best,
            worst_rank=None if bounds is None else bounds.worst,
            at=row,
        )


class ProvisionalRow(NamedTuple):
    """A place in the provisional standing."""

    rank: int | None
    id: str
    won: int


@strawberry.type(description="A competitor's place in the provisional standing.")
class ProvisionalPlace(FromRow, competitor_id="id"):
    rank: int | None = field(description="As in `TournamentPlace`.")
    competitor_id: str = field(description="The id in the league: of a player, or of a pair as `a+b`.")
    won: int = field(description="Matches won, with those that they lead now.")

    competitor = competitor_field("The player, or the pair.")
    display_name = display_name_field()


def provisional_standing_of(seen: SeenTournament) -> PageableInMemory[ProvisionalRow]:
    """The places if each open match ended now; none if no open match has a leading side. Blocks."""
    rows = [ProvisionalRow(place.rank, place.id, place.won) for place in seen.provisional_standing]
    return PageableInMemory(rows, lambda row: [row.rank is None, row.rank or 0, row.id], "provisional")


def standing_of(
    seen: SeenTournament, tie_breaks: Sequence[TieBreak] | None, after: int | None = None
) -> PageableInMemory[PlaceRow]:
    """The places of a tournament, under the given tie-breaks or else those of its plan. Blocks.

    `after`: the standing after this round; None: the present one.
    """
    shown = shown_standing(seen, tie_breaks, after)
    rows = [PlaceRow(place, shown) for place in shown.places]
    name = ",".join(("standing", *shown.names, *([] if after is None else [str(after)])))
    return PageableInMemory(rows, _place_key, name)


def shown_standing(
    seen: SeenTournament, tie_breaks: Sequence[TieBreak] | None = None, after: int | None = None
) -> ShownStanding:
    """The standing with what its places rest on. Blocks. After an earlier round it has no possible ranks."""
    names = tie_breaks_of(seen.state.known_plan) if tie_breaks is None else tuple(tie_breaks)
    provisional_of = seen.state.id if after is None and seen.is_order_of_plan(names) else None
    if after is None:
        places, bounds = seen.standing(names), seen.possible(names)
    else:
        seen = seen.after(after)
        places, bounds = seen.standing(names), {}
    withdrawn = {entry.id for entry in seen.state.entries.values() if entry.withdrawn_at is not None}
    return ShownStanding(
        places,
        names,
        seen.outcomes(),
        bounds,
        withdrawn,
        seen.points.rules,
        seen.annulled,
        provisional_of,
    )


def _place_key(row: PlaceRow) -> list[Any]:
    return [row.place.rank is None, row.place.rank or 0, row.place.id]
