"""The plan of a tournament, as it is read and as it is given, and the standing that follows from its tie-breaks."""

from enum import Enum
from typing import Any, Self

import strawberry
from strawberry import field

from league.api.graphql.leaf_types import Competition, MatchMode, optional, word
from league.api.graphql.shaping.from_rows import OfRow, made_of
from league.api.graphql.shaping.shared_fields import competitor_field
from league.tournaments.domain.plan import Plan, TieBreak, opponent_window, plan_hash
from league.tournaments.domain.standing import Outcomes, RankBounds, StandingPlace, parts
from league.tournaments.tournament_queries import SeenTournament

# ---------------------------------------------------------------- settings and states


@strawberry.enum(description="How a tournament decides who meets whom.")
class TournamentFormat(Enum):
    ROUND_ROBIN = word("round_robin", "Everybody meets everybody, in the order of Berger's tables.")
    SWISS = word("swiss", "Those who have won as often meet, and nobody meets the same opponent again.")
    ROTATING_PARTNERS = word("rotating_partners", "Each player counts alone, and gets another partner in every round.")
    FIXTURES = word("fixtures", "Meetings on a day or until a day, entered by hand or as a round robin.")


@strawberry.enum(description="How far a tournament has come.")
class TournamentStatus(Enum):
    PLANNED = word("planned", "No round is published.")
    RUNNING = word("running", "A round is published.")
    ENDED = word("ended", "The standing is final, but for corrections of results.")


@strawberry.enum(description="How far a round has come.")
class TournamentRoundStatus(Enum):
    DRAWN = word("drawn", "Its inputs are closed; its tables are not announced.")
    PUBLISHED = word("published", "Its tables are announced.")
    CLOSED = word("closed", "It is over.")


@strawberry.enum(description="How far the drawing of a round has come.")
class TournamentDrawingState(Enum):
    ASKING = word("asking", "Devices are asked for the bytes that they promised, for 10 seconds at most.")
    COMPUTING = word("computing", "No more bytes are awaited; its tables come next.")
    PAIRED = word("paired", "Its seed and its tables are there.")


@strawberry.enum(description="What has come of a table.")
class TournamentTableStatus(Enum):
    SCHEDULED = word("scheduled", "Its match is opened when play begins.")
    OPEN = word("open", "Its match has no result.")
    PENDING = word("pending", "Its result awaits confirmation, and counts provisionally.")
    COMPLETED = word("completed", "The end condition of the ruleset was met.")
    CUT_SHORT = word("cut_short", "Play stopped at the bell; the leading side won.")
    ANNOUNCED = word("announced", "Only the result is known.")
    FORFEITED = word("forfeited", "A side gave up after play began.")
    WALKOVER = word("walkover", "A side did not come.")
    DOUBLE_ABSENCE = word("double_absence", "Nobody came.")
    VOIDED = word("voided", "Its match was voided; it counts nothing until it is replaced.")


@strawberry.enum(description="What orders those who have won as many matches.")
class TieBreakName(Enum):
    DIFFERENCE = word("difference", "Own points less those of the best other side (efectividad).")
    POINTS_FOR = word("points_for", "Own points.")
    BUCHHOLZ = word("buchholz", "The matches that all opponents have won.")
    BUCHHOLZ_CUT = word("buchholz_cut", "The same without the weakest opponent.")
    BUCHHOLZ_MEDIAN = word("buchholz_median", "The same without the weakest and the strongest opponent.")
    SONNEBORN_BERGER = word("sonneborn_berger", "The matches that beaten opponents have won.")
    DIRECT = word("direct", "The matches won among those who are level, if all of them met.")
    BEST_HAND = word("best_hand", "The most points of the own side in one hand.")
    FEWEST_BYES = word("fewest_byes", "Less one for each bye.")


@strawberry.enum(description="How the first round is ordered.")
class FirstRound(Enum):
    RATING = word("rating", "By rating: in a Swiss tournament the upper half meets the lower one.")
    DRAWN = word("drawn", "By lot, which everybody can compute again.")


@strawberry.enum(description="How partners are found.")
class PartnerChoice(Enum):
    NEAR = word("near", "Those who have won about as often play together.")
    DRAWN = word("drawn", "By lot.")


@strawberry.enum(description="What happens at the end of a round's time.")
class AtBell(Enum):
    FINISH_HAND = word("finish_hand", "The hand is finished.")
    ONE_MORE = word("one_more", "The hand is finished, and one more is played.")


@strawberry.enum(description="A criterion that may give way.")
class GivenWay(Enum):
    SERIES = word("series", "The two have played all matches of the month that count in the series.")
    MEETINGS = word("meetings", "They have met before, within the window of the plan.")
    PARTNERS = word("partners", "They were partners before, within the window of the plan.")
    BYES = word("byes", "They sit out again.")


@strawberry.enum(description="At which stage two were put together.")
class PairingStage(Enum):
    OPPONENTS = word("opponents", "As opponents.")
    PARTNERS = word("partners", "As partners.")
    TABLES = word("tables", "As two pairs at a table.")
    FIXED = word("fixed", "Nothing was chosen: the format says who meets.")


@strawberry.enum(description="What a pairing weighs, in this order.")
class PairingCriterion(Enum):
    SERIES = word("series", "Pairs that are locked in the series do not meet.")
    BYES = word("byes", "Those with the fewest byes sit out, and of these the lowest place.")
    MEETINGS = word("meetings", "Nobody meets the same opponent within the window.")
    PARTNERS = word("partners", "Nobody has the same partner within the window.")
    WON = word("won", "Those who have won as often come together: the square of the difference.")
    REGION = word("region", "Those of one region are kept apart in the first rounds.")
    PLACES = word("places", "Neighbours in the standing meet: the square of the difference.")
    CHANCE = word("chance", "The lot: tie values that everybody can compute again.")


# ---------------------------------------------------------------- the plan


WINDOW = "Rounds before a round in which it counts that two have met; null: all rounds."


@strawberry.type(description="What a bye or a walkover gives.")
class Awarded(OfRow, points_for="for_", points_against="against"):
    won: bool = field(description="Whether it counts as a match won.")
    points_for: int | None = field(description="Own points; null: half of the target, rounded down.")
    points_against: int = field(description="Points of the other side.")


@strawberry.type(description="What was decided about a tournament before its first round.")
class TournamentPlan:
    hash: str = field(description="SHA-256 of the plan, hexadecimal.")
    name: str = field(description="The name of the tournament.")
    format: TournamentFormat = field(description="How it decides who meets whom.")
    ruleset: str = field(description="The ruleset of its matches, such as `cuban-150`.")
    mode: MatchMode = field(description="The mode of its matches.")
    competition: Competition = field(description="What its matches count for.")
    rounds: int | None = field(description="How many rounds; null where the format says so.")
    legs: int = field(description="How often everybody meets everybody in a round robin.")
    first_round: FirstRound = field(description="How the first round is ordered.")
    opponent_window: int | None = field(description=WINDOW)
    partner_window: int | None = field(description=WINDOW)
    partners: PartnerChoice = field(description="How partners are found.")
    full_cycle: bool = field(description="Whether everybody has everybody as partner once.")
    region_rounds: int = field(description="The first rounds, in which those of one region are kept apart.")
    locked_play_casually: bool = field(description="Whether pairs that are locked in the series meet casually.")
    tie_breaks: list[TieBreakName] = field(description="What orders those who have won as often.")
    score_cap: int | None = field(description="The most points of a match that count; null: the target.")
    bye: Awarded = field(description="What a bye gives.")
    walkover: Awarded = field(description="What a walkover gives.")
    minutes: int | None = field(description="Of a round; null: no clock.")
    at_bell: AtBell = field(description="What happens at the end of a round's time.")
    check_in: bool = field(description="Whether only those play who have checked in.")
    late_entries: int = field(description="The last round before which competitors may still enter; 0: none.")

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """A plan."""
        return made_of(
            cls,
            plan,
            hash=plan_hash(plan),
            opponent_window=opponent_window(plan),
            partner_window=None if plan.partner_window == "all" else plan.partner_window,
        )


@strawberry.input(description="What a bye or a walkover gives.")
class AwardedInput:
    won: bool = field(default=True, description="Whether it counts as a match won.")
    points_for: int | None = optional("Own points; null: half of the target, rounded down.")
    points_against: int = field(default=0, description="Points of the other side.")


@strawberry.input(description="Rounds before a round in which it counts that two have met.")
class WindowInput:
    rounds: int | None = optional("How many; null: all rounds.")


@strawberry.input(description="A plan. Omitted settings take the format's defaults.")
class TournamentPlanInput:
    name: str = field(description="The name of the tournament.")
    format: TournamentFormat = field(description="How it decides who meets whom.")
    ruleset: str = field(description="The ruleset of its matches.")
    mode: MatchMode = field(default=MatchMode.TWO_ON_TWO, description="The mode of its matches.")
    competition: Competition = field(default=Competition.SPECIAL, description="What its matches count for.")
    rounds: int | None = optional("How many rounds; a round robin needs none.")
    legs: int = field(default=1, description="How often everybody meets everybody in a round robin: 1 or 2.")
    first_round: FirstRound = field(default=FirstRound.DRAWN, description="How the first round is ordered.")
    opponent_window: WindowInput | None = optional(
        "When opponents count as met; null: 3 rounds with rotating partners, else all."
    )
    partner_window: WindowInput | None = optional("When partners count; null: 3 rounds.")
    partners: PartnerChoice = field(default=PartnerChoice.NEAR, description="How partners are found.")
    full_cycle: bool = field(
        default=False, description="Everybody has everybody as partner once: for 8, 12 or 16 players."
    )
    region_rounds: int = field(default=0, description="The first rounds, in which those of one region are kept apart.")
    locked_play_casually: bool = field(
        default=False, description="A pair that is locked in the series meets in a casual match, if it has to."
    )
    tie_breaks: list[TieBreakName] | None = optional("In their order; null: `BUCHHOLZ`, `DIFFERENCE`, `POINTS_FOR`.")
    score_cap: int | None = optional("The most points of a match that count; null: the target.")
    bye: AwardedInput | None = optional("Null: won, half of the target to 0.")
    walkover: AwardedInput | None = optional("Null: won, half of the target to 0.")
    minutes: int | None = optional("Of a round; null: no clock.")
    at_bell: AtBell = field(default=AtBell.FINISH_HAND, description="What happens at the end of a round's time.")
    check_in: bool = field(default=False, description="Only those play who have checked in.")
    late_entries: int = field(default=0, description="The last round before which competitors may still enter.")

    def document(self) -> dict[str, Any]:
        """The plan as a document; null is left out."""
        return {name: _in_document(value) for name, value in vars(self).items() if value is not None}


IN_PLAN = {
    "plan.opponent_window": "plan.opponentWindow.rounds",
    "plan.partner_window": "plan.partnerWindow.rounds",
    **{
        f"plan.{award}.{own}": f"plan.{award}.{named}"
        for award in ("bye", "walkover")
        for own, named in (("for", "pointsFor"), ("against", "pointsAgainst"))
    },
}
"""The paths of a plan's settings in an input with a `plan`."""


def _in_document(given: Any) -> Any:
    """A setting as a plan has it."""
    match given:
        case Enum():
            return given.value
        case list():
            return [name.value for name in given]
        case WindowInput():
            return "all" if given.rounds is None else given.rounds
        case AwardedInput():
            return {"won": given.won, "for": given.points_for, "against": given.points_against}
    return given


# ---------------------------------------------------------------- the standing: each value down to its matches


@strawberry.type(description="What a round, or an opponent of it, adds to a value of a standing.")
class TieBreakPart(OfRow, opponent_id="opponent"):
    round: int = field(description="The round.")
    value: int = field(description="What it adds.")
    counts: bool = field(description="Whether it counts: `BUCHHOLZ_CUT` and `BUCHHOLZ_MEDIAN` leave some out.")
    opponent_id: str | None = field(description="The opponent of whom the value is; null where it is the own one.")


@strawberry.type(description="A value that orders those who have won as often.")
class TieBreakValue:
    name: TieBreakName = field(description="Which value.")
    value: int = field(description="The higher, the better.")
    at: strawberry.Private[tuple[str, Outcomes, tuple[str, ...]]]

    @field(description="What it is made of, round by round; of `BEST_HAND` the best hand of each match.")
    def parts(self) -> list[TieBreakPart]:
        competitor, outcomes, tied = self.at
        return [TieBreakPart.of(part) for part in parts(self.name.value, competitor, outcomes, tied)]


@strawberry.type(description="What a round came to for a competitor.")
class TournamentOutcome(OfRow, opponent_ids="opponents"):
    round: int = field(description="The round.")
    won: bool = field(description="Whether it counts as won.")
    own: int = field(description="Own points, as they count.")
    other: int = field(description="Points of the other side.")
    opponent_ids: list[str] = field(description="The opponents; none after a bye or a walkover.")
    known: bool = field(description="False where the match counts 0 and 0, since nobody wrote its score down.")


@strawberry.type(description="A competitor's place in the standing of a tournament.")
class TournamentPlace:
    rank: int = field(description="From 1; those who are level in everything share it.")
    competitor_id: str = field(description="The id in the league: of a player, or of a pair as `a+b`.")
    won: int = field(description="Matches won, with byes and walkovers as the plan counts them.")
    lost: int = field(description="Matches lost.")
    byes: int = field(description="Rounds in which they sat out.")
    unknown_scores: int = field(
        description="Matches that count 0 and 0 for the tie-breaks, since nobody wrote their score down."
    )
    tie_breaks: list[TieBreakValue] = field(description="In the order that was asked for.")
    best_rank: int | None = field(
        description="The best final rank that is still possible; null under another order than the plan's."
    )
    worst_rank: int | None = field(
        description="The worst final rank that is still possible; null under another order than the plan's."
    )
    outcomes: list[TournamentOutcome] = field(description="What each round came to.")

    competitor = competitor_field("The player, or the pair.")


def standing_of(seen: SeenTournament, tie_breaks: list[TieBreak] | None) -> list[TournamentPlace]:
    """The places of a tournament; under other tie-breaks, if some are given."""
    outcomes, bounds = seen.outcomes(), seen.possible(tie_breaks)
    names = seen.state.known_plan.tie_breaks if tie_breaks is None else tuple(tie_breaks)
    places = seen.standing(names)
    return [_place(place, places, names, outcomes, bounds.get(place.id)) for place in places]


def _place(
    place: StandingPlace,
    places: list[StandingPlace],
    names: tuple[TieBreak, ...],
    outcomes: Outcomes,
    bounds: RankBounds | None,
) -> TournamentPlace:
    def level(number: int) -> tuple[str, ...]:
        """Those who are level with this one before a tie-break decides."""
        same = (place.won, place.values[:number])
        return tuple(other.id for other in places if (other.won, other.values[:number]) == same)

    own = outcomes[place.id]
    return TournamentPlace(
        rank=place.rank,
        competitor_id=place.id,
        won=place.won,
        lost=sum(not one.won for one in own),
        byes=sum(one.kind == "bye" for one in own),
        unknown_scores=sum(not one.known for one in own),
        tie_breaks=[
            TieBreakValue(name=TieBreakName(name), value=value, at=(place.id, outcomes, level(number)))
            for number, (name, value) in enumerate(zip(names, place.values, strict=True))
        ],
        best_rank=None if bounds is None else bounds.best,
        worst_rank=None if bounds is None else bounds.worst,
        outcomes=[TournamentOutcome.of(one) for one in own],
    )
