"""GraphQL types of a tournament's plan: its settings, and the states of what follows from it."""

from enum import Enum
from typing import Self

import strawberry
from strawberry import field

from league.api.graphql.leaf_types import Competition, MatchMode, word
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.tournaments.domain.plan import MeetingWindow as WindowSetting
from league.tournaments.domain.plan import Plan, plan_hash, tie_breaks_of, withdrawals_of

# ---------------------------------------------------------------- settings and states


@strawberry.enum(description="How a tournament decides who meets whom.")
class TournamentFormat(Enum):
    ROUND_ROBIN = word("round_robin", "Everybody meets everybody, in the order of Berger's tables.")
    SWISS = word("swiss", "Competitors with equally many wins meet, and nobody meets the same opponent again.")
    ROTATING_PARTNERS = word("rotating_partners", "Each player counts alone and gets a new partner in every round.")
    FIXTURES = word("fixtures", "Meetings on a day or up to a last day, entered by hand or taken from a round robin.")
    KNOCKOUT = word("knockout", "Who loses a tie is out. A tie is one match or several.")
    GROUPS = word("groups", "Round robins in groups, then a knock-out of the best of each.")


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


@strawberry.enum(description="The part of a tournament to which a round belongs.")
class TournamentStage(Enum):
    GROUP = word("group", "Each group plays a round of its round robin.")
    KNOCKOUT = word("knockout", "Who loses is out.")


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


@strawberry.enum(description="What becomes of the meetings of a competitor who leaves a round robin or a group.")
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


@strawberry.enum(description="Whether the choices that made a table are there.")
class TableWhyState(Enum):
    EXPLAINED = word("explained", "`why` has them.")
    COMPUTING = word("computing", "A worker computes them, once for the whole round; your request has asked for it.")
    BY_HAND = word("by_hand", "It came about by hand: of a table, or of all meetings of the round.")
    WITHDRAWN = word("withdrawn", "The round was withdrawn, and counts for nothing.")


@strawberry.enum(description="The stage of pairing at which two were put together.")
class PairingStage(Enum):
    OPPONENTS = word("opponents", "Two competitors became opponents.")
    PARTNERS = word("partners", "Two players became partners.")
    TABLES = word("tables", "Two pairs were put at one table.")
    SITS_OUT = word("sits_out", "A competitor sits out.")
    FIXED = word("fixed", "Nothing was chosen: Berger's table or the full cycle says who meets.")
    GROUP = word("group", "A competitor of a pot was drawn into a group.")
    BRACKET = word("bracket", "A competitor was given a place of the bracket.")
    FIRST_TIE = word("first_tie", "Two places of the bracket meet first, or one is opposite a place that nobody has.")
    NEXT_TIE = word("next_tie", "The winners of two ties beside each other meet.")
    THROUGH = word("through", "A competitor came through in the round before.")
    SEMI_FINAL = word("semi_final", "A competitor lost a semi-final, and so plays for the third place.")
    LEFT = word("left", "A competitor was through and has withdrawn: the tie is a walkover.")
    NO_OPPONENT = word("no_opponent", "From the tie beside theirs nobody came.")


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


SETUP_MINUTES = "Minutes after the publication of a round at which its time begins; 0: at once."
BEST_OF = (
    "The most matches of a tie of a knock-out: odd numbers. Where there are several, the last is that of the final, "
    "the one before of the semi-finals, and the first also of all earlier rounds."
)
THIRD_PLACE = (
    "Whether the losers of the semi-finals of a knock-out play for the third place; null: if four or more enter it."
)
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
    legs: int = field(description="How often everybody meets everybody in a round robin or a group.")
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
    setup_minutes: int = field(description=SETUP_MINUTES)
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
    best_of: list[int] = field(description=BEST_OF)
    third_place: bool | None = field(description=THIRD_PLACE)
    groups: int | None = field(description="Number of groups; null in other formats.")
    advance: int | None = field(description="How many of each group enter the knock-out; null: 2.")
    rules: int = field(description="Version of the rules by which it counts: 1 if it was planned before version 2.")

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """Make the output type from a plan of the domain."""
        return made_of(
            cls,
            plan,
            hash=plan_hash(plan),
            withdrawals=None if withdrawals_of(plan) is None else Withdrawals(withdrawals_of(plan)),
            tie_breaks=[TieBreakName(name) for name in tie_breaks_of(plan)],
            best_of=[plan.best_of] if isinstance(plan.best_of, int) else list(plan.best_of),
            opponent_window=None if plan.opponent_window is None else MeetingWindow.of_setting(plan.opponent_window),
            partner_window=MeetingWindow.of_setting(plan.partner_window),
        )
