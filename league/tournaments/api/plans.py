"""GraphQL types of a tournament's plan, and of the standing that its tie-breaks order."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Any, NamedTuple, Self

import strawberry
from msgspec import Struct
from strawberry import field

from league.api.graphql.leaf_types import Competition, MatchMode, word
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.relay import Connection, PageableInMemory, cacheable_paged
from league.api.graphql.shaping.shared_fields import competitor_field
from league.tournaments.api.names import display_name_field
from league.tournaments.domain.outcomes import Outcomes, RoundOutcome
from league.tournaments.domain.plan import MeetingWindow as WindowSetting
from league.tournaments.domain.plan import Plan, RulesVersion, TieBreak, plan_hash, withdrawals_of
from league.tournaments.domain.possible import RankBounds
from league.tournaments.domain.standing import StandingPlace, TieBreakTerm, as_read, terms
from league.tournaments.tournament_queries import SeenTournament

# ---------------------------------------------------------------- settings and states


@strawberry.enum(description="How a tournament decides who meets whom.")
class TournamentFormat(Enum):
    ROUND_ROBIN = word("round_robin", "Everybody meets everybody, in the order of Berger's tables.")
    SWISS = word("swiss", "Competitors with equally many wins meet, and nobody meets the same opponent again.")
    ROTATING_PARTNERS = word("rotating_partners", "Each player counts alone and gets a new partner in every round.")
    FIXTURES = word("fixtures", "Meetings on a day or up to a last day, entered by hand or taken from a round robin.")


@strawberry.enum(description="How far a tournament has come.")
class TournamentStatus(Enum):
    PLANNED = word("planned", "No round is published.")
    RUNNING = word("running", "A round is published.")
    ENDED = word("ended", "The standing is final, except for corrections of results.")


@strawberry.enum(description="How far a round has come.")
class TournamentRoundStatus(Enum):
    DRAWN = word("drawn", "Its inputs are closed; its tables are not announced.")
    DROPPED = word("dropped", "It was drawn again before its tables were announced. Only earlier drawings have this.")
    PUBLISHED = word("published", "Its tables are announced.")
    WITHDRAWN = word("withdrawn", "It was announced and counts for nothing. It is drawn anew under its number.")
    CLOSED = word("closed", "It is over.")


@strawberry.enum(description="How far the drawing of a round has come.")
class TournamentDrawingState(Enum):
    ASKING = word("asking", "Devices are asked for the bytes that they promised, for 10 seconds at most.")
    COMPUTING = word("computing", "The league waits for no more bytes, and computes the tables.")
    PAIRED = word("paired", "Its seed and its tables are stored.")


@strawberry.enum(description="How far a table has come, or how it ended.")
class TournamentTableStatus(Enum):
    SCHEDULED = word("scheduled", "A fixture: its match opens when play begins.")
    OPEN = word("open", "Its match has no result.")
    PENDING = word("pending", "Its result awaits confirmation, and counts provisionally.")
    COMPLETED = word("completed", "The end condition of the ruleset was met.")
    CUT_SHORT = word("cut_short", "Play stopped at the bell; the leading side won.")
    ANNOUNCED = word("announced", "Only the result is known.")
    FORFEITED = word("forfeited", "A side gave up after play began.")
    WALKOVER = word("walkover", "A side did not come.")
    DOUBLE_ABSENCE = word("double_absence", "Neither side came.")
    VOIDED = word("voided", "Its match was voided. The table counts nothing until the match is replaced.")


@strawberry.enum(description="What orders competitors who have won equally many matches.")
class TieBreakName(Enum):
    DIFFERENCE = word("difference", "The competitor's match points minus those of the other side (efectividad).")
    POINTS_FOR = word("points_for", "The competitor's match points.")
    BUCHHOLZ = word("buchholz", "The sum of the matches that the opponents have won.")
    BUCHHOLZ_CUT = word("buchholz_cut", "`BUCHHOLZ` without the weakest opponent.")
    BUCHHOLZ_MEDIAN = word("buchholz_median", "`BUCHHOLZ` without the weakest and the strongest opponent.")
    SONNEBORN_BERGER = word("sonneborn_berger", "The sum of the matches that the beaten opponents have won.")
    DIRECT = word("direct", "The matches won against those who are level, if all of them have met each other.")
    BEST_HAND = word("best_hand", "The most hand points that the competitor's side made in one hand.")
    FEWEST_BYES = word("fewest_byes", "The number of byes; fewer are better.")


@strawberry.enum(description="How the first round is ordered.")
class FirstRound(Enum):
    RATING = word("rating", "Ratings order it: in a Swiss tournament the upper half meets the lower half.")
    DRAWN = word("drawn", "A lot orders it, which everybody can compute again.")


@strawberry.enum(description="How partners are found.")
class PartnerChoice(Enum):
    NEAR = word("near", "Players with about equally many wins play together.")
    DRAWN = word("drawn", "A lot decides.")


@strawberry.enum(description="What becomes of the meetings of a competitor who leaves a round robin.")
class Withdrawals(Enum):
    ANNUL_BELOW_HALF = word(
        "annul_below_half",
        "Who has played fewer than half of their meetings is out, and none of these counts; otherwise what was played "
        "counts.",
    )
    KEEP = word("keep", "What was played counts.")


@strawberry.enum(description="What happens at the end of a round's time.")
class AtBell(Enum):
    FINISH_HAND = word("finish_hand", "The hand is finished.")
    ONE_MORE = word("one_more", "The hand is finished, and one more is played.")


@strawberry.enum(description="A criterion of pairing that gives way when no round can keep it.")
class GivenWay(Enum):
    SERIES = word("series", "The two have played all matches of the month that count in the series.")
    MEETINGS = word("meetings", "They have met before, within the plan's window.")
    PARTNERS = word("partners", "They were partners before, within the plan's window.")
    BYES = word("byes", "The competitor sits out again.")


@strawberry.enum(description="The stage of pairing at which two were put together.")
class PairingStage(Enum):
    OPPONENTS = word("opponents", "Two competitors became opponents.")
    PARTNERS = word("partners", "Two players became partners.")
    TABLES = word("tables", "Two pairs were put at one table.")
    FIXED = word("fixed", "Nothing was chosen: the format says who meets.")


@strawberry.enum(description="What a pairing weighs. Earlier criteria weigh more than all later ones.")
class PairingCriterion(Enum):
    SERIES = word("series", "Pairs that are locked in the series do not meet.")
    BYES = word("byes", "Whoever has the fewest byes sits out; among equals, the lowest place.")
    MEETINGS = word("meetings", "Nobody meets the same opponent within the window.")
    PARTNERS = word("partners", "Nobody has the same partner within the window.")
    WON = word("won", "Competitors with equally many wins come together. It costs the square of the difference.")
    REGION = word("region", "Competitors of one region do not meet in the first rounds.")
    PLACES = word("places", "Neighbours in the standing meet. It costs the square of the difference of their places.")
    CHANCE = word("chance", "A lot decides: tie values that everybody can compute again.")


# ---------------------------------------------------------------- the plan


WINDOW = "How many earlier rounds count when a pairing avoids repeated {}."


DIFFERENCE_CAP = "The most that one outcome adds to, or takes from, the tie-break `DIFFERENCE`; null: no limit."


@strawberry.type(description="What a bye or a walkover gives.")
class Awarded(FromRow, points_for="for_", points_against="against"):
    won: bool = field(description="Whether it counts as a match won.")
    points_for: int | None = field(description="Own points; null: half of the target, rounded down.")
    points_against: int = field(description="Points of the other side.")


@strawberry.type(description="How many earlier rounds count when a pairing avoids repeated opponents or partners.")
class MeetingWindow:
    rounds: int | None = field(description="Number of rounds; null: all rounds.")

    @classmethod
    def of_setting(cls, setting: WindowSetting) -> Self:
        """Make the type from a setting of a plan."""
        return cls(rounds=None if setting == "all" else setting)


@strawberry.type(description="What was decided about a tournament before its first round.")
class TournamentPlan:
    hash: str = field(description="SHA-256 of the plan, hexadecimal.")
    name: str = field(description="The name of the tournament.")
    format: TournamentFormat = field(description="How it decides who meets whom.")
    ruleset: str = field(description="The ruleset of its matches, such as `cuban-150`.")
    mode: MatchMode = field(description="The mode of its matches.")
    competition: Competition = field(description="What its matches count for.")
    rounds: int | None = field(description="Number of rounds; null if the format determines it.")
    legs: int = field(description="How often everybody meets everybody in a round robin.")
    first_round: FirstRound = field(description="How the first round is ordered.")
    opponent_window: MeetingWindow | None = field(
        description=f"{WINDOW.format('opponents')} Null: 3 rounds with rotating partners, otherwise all."
    )
    partner_window: MeetingWindow = field(description=WINDOW.format("partners"))
    partners: PartnerChoice = field(description="How partners are found.")
    full_cycle: bool = field(description="Whether every player is every other player's partner once.")
    region_rounds: int = field(description="Number of first rounds in which competitors of one region do not meet.")
    locked_play_casually: bool = field(description="Whether pairs that are locked in the series meet casually.")
    tie_breaks: list[TieBreakName] = field(description="What orders competitors with equally many wins, in this order.")
    score_cap: int | None = field(description="The most points of a match that count; null: the target.")
    bye: Awarded = field(description="What a bye gives.")
    walkover: Awarded = field(description="What a walkover gives.")
    minutes: int | None = field(description="Length of a round in minutes; null means untimed.")
    at_bell: AtBell = field(description="What happens at the end of a round's time.")
    check_in: bool = field(description="Whether only competitors who have checked in play.")
    late_entries: int = field(
        description="Competitors may enter until this round is published; 0: until the first round is."
    )
    difference_cap: int | None = field(description=DIFFERENCE_CAP)
    requested_bye: Awarded = field(description="What a bye gives to a competitor who asked for it.")
    withdrawals: Withdrawals | None = field(
        description="What becomes of the meetings of a competitor who leaves; null: the format has no such rule."
    )
    rules: int = field(description="Version of the rules by which it counts: 1 if it was planned before version 2.")

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """Make the output type from a plan of the domain."""
        return made_of(
            cls,
            plan,
            hash=plan_hash(plan),
            withdrawals=None if withdrawals_of(plan) is None else Withdrawals(withdrawals_of(plan)),
            opponent_window=None if plan.opponent_window is None else MeetingWindow.of_setting(plan.opponent_window),
            partner_window=MeetingWindow.of_setting(plan.partner_window),
        )


# ---------------------------------------------------------------- the standing: each value down to its matches


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

    def level(self, place: StandingPlace, number: int) -> tuple[str, ...]:
        """Ids of the competitors who are level with a place before the tie-break with this number decides."""
        same = (place.won, place.values[:number])
        return tuple(other.id for other in self.places if (other.won, other.values[:number]) == same)


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
    own: int = field(description="The competitor's match points, as the standing counts them.")
    other: int = field(description="Match points of the other side, as the standing counts them.")
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


@strawberry.type(description="A competitor's place in the standing of a tournament.")
class TournamentPlace:
    rank: int | None = field(
        description="From 1. Competitors who are level in everything share a rank. Null for who left a round robin and "
        "is out of the standing (`annulled`); they come last."
    )
    annulled: bool = field(
        description="Whether none of their meetings counts, because they left with fewer than half of them played."
    )
    competitor_id: str = field(description="The id in the league: of a player, or of a pair as `a+b`.")
    won: int = field(description="Matches won, with byes and walkovers as the plan counts them.")
    lost: int = field(
        description="Matches lost, with walkovers. From `rules` 2 byes and walkovers that are not won are not "
        "lost either."
    )
    byes: int = field(description="Rounds in which they sat out.")
    unknown_scores: int = field(
        description="Matches that count 0 to 0 in the tie-breaks because nobody wrote their score down."
    )
    withdrew: bool = field(description="Whether they have withdrawn.")
    tie_breaks: list[TieBreakValue] = field(description="The values of the tie-breaks, in the requested order.")
    values: list[int | None] = field(description="The `value` of each tie-break, in the requested order.")
    best_rank: int | None = field(
        description="The best final rank that is still possible; null under another order than the plan's, "
        "and for who will have no rank."
    )
    worst_rank: int | None = field(
        description="The worst final rank that is still possible; null under another order than the plan's, "
        "and for who will have no rank."
    )
    at: strawberry.Private[PlaceRow]

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
            annulled=place.rank is None,
            competitor_id=place.id,
            won=place.won,
            lost=sum(one.lost for one in own),
            byes=sum(one.kind == "bye" for one in own),
            unknown_scores=sum(not one.known for one in own),
            tie_breaks=[
                TieBreakValue(name=TieBreakName(name), value=value, at=(row, number))
                for number, (name, value) in enumerate(zip(standing.names, values, strict=True))
            ],
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
    rows = [ProvisionalRow(place.rank, place.id, place.won) for place in seen.provisional_standing() or ()]
    return PageableInMemory(rows, lambda row: [row.rank is None, row.rank or 0, row.id], "provisional")


def standing_of(seen: SeenTournament, tie_breaks: list[TieBreak] | None) -> PageableInMemory[PlaceRow]:
    """The places of a tournament, under the given tie-breaks or else those of its plan. Blocks."""
    names = seen.state.known_plan.tie_breaks if tie_breaks is None else tuple(tie_breaks)
    withdrawn = {entry.id for entry in seen.state.entries.values() if entry.withdrawn_at is not None}
    shown = ShownStanding(
        seen.standing(names), names, seen.outcomes(), seen.possible(names), withdrawn, seen.points.rules
    )
    rows = [PlaceRow(place, shown) for place in shown.places]
    return PageableInMemory(rows, _place_key, ",".join(("standing", *names)))


def _place_key(row: PlaceRow) -> list[Any]:
    return [row.place.rank is None, row.place.rank or 0, row.place.id]
