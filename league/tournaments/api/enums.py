"""The enums of tournaments; their values are the words of the domain."""

from enum import Enum

import strawberry

from league.api.graphql.enums import word


@strawberry.enum(description="How a tournament decides who meets whom.")
class TournamentFormat(Enum):
    ROUND_ROBIN = word("round_robin", description="Everybody meets everybody, in the order of Berger's tables.")
    SWISS = word("swiss", description="Those who have won as often meet, and nobody meets the same opponent again.")
    ROTATING_PARTNERS = word(
        "rotating_partners", description="Each player counts alone, and gets another partner in every round."
    )
    FIXTURES = word("fixtures", description="Meetings on a day or until a day, entered by hand or as a round robin.")


@strawberry.enum(description="How far a tournament has come.")
class TournamentStatus(Enum):
    PLANNED = word("planned", description="No round is published.")
    RUNNING = word("running", description="A round is published.")
    ENDED = word("ended", description="The standing is final, but for corrections of results.")


@strawberry.enum(description="How far a round has come.")
class TournamentRoundStatus(Enum):
    DRAWN = word("drawn", description="Its inputs are closed; its tables are not announced.")
    PUBLISHED = word("published", description="Its tables are announced.")
    CLOSED = word("closed", description="It is over.")


@strawberry.enum(description="How far the drawing of a round has come.")
class TournamentDrawingState(Enum):
    ASKING = word("asking", description="Devices are asked for the bytes that they promised, for 10 seconds at most.")
    COMPUTING = word("computing", description="No more bytes are awaited; its tables come next.")
    PAIRED = word("paired", description="Its seed and its tables are there.")


@strawberry.enum(description="What has come of a table.")
class TournamentTableStatus(Enum):
    SCHEDULED = word("scheduled", description="Its match is opened when play begins.")
    OPEN = word("open", description="Its match has no result.")
    PENDING = word("pending", description="Its result awaits confirmation, and counts provisionally.")
    COMPLETED = word("completed", description="The end condition of the ruleset was met.")
    CUT_SHORT = word("cut_short", description="Play stopped at the bell; the leading side won.")
    ANNOUNCED = word("announced", description="Only the result is known.")
    FORFEITED = word("forfeited", description="A side gave up after play began.")
    WALKOVER = word("walkover", description="A side did not come.")
    DOUBLE_ABSENCE = word("double_absence", description="Nobody came.")
    VOIDED = word("voided", description="Its match was voided; it counts nothing until it is replaced.")


@strawberry.enum(description="What orders those who have won as many matches.")
class TieBreakName(Enum):
    DIFFERENCE = word("difference", description="Own points less those of the best other side (efectividad).")
    POINTS_FOR = word("points_for", description="Own points.")
    BUCHHOLZ = word("buchholz", description="The matches that all opponents have won.")
    BUCHHOLZ_CUT = word("buchholz_cut", description="The same without the weakest opponent.")
    BUCHHOLZ_MEDIAN = word("buchholz_median", description="The same without the weakest and the strongest opponent.")
    SONNEBORN_BERGER = word("sonneborn_berger", description="The matches that beaten opponents have won.")
    DIRECT = word("direct", description="The matches won among those who are level, if all of them met.")
    BEST_HAND = word("best_hand", description="The most points of the own side in one hand.")
    FEWEST_BYES = word("fewest_byes", description="Less one for each bye.")


@strawberry.enum(description="How the first round is ordered.")
class FirstRound(Enum):
    RATING = word("rating", description="By rating: in a Swiss tournament the upper half meets the lower one.")
    DRAWN = word("drawn", description="By lot, which everybody can compute again.")


@strawberry.enum(description="How partners are found.")
class PartnerChoice(Enum):
    NEAR = word("near", description="Those who have won about as often play together.")
    DRAWN = word("drawn", description="By lot.")


@strawberry.enum(description="What happens at the end of a round's time.")
class AtBell(Enum):
    FINISH_HAND = word("finish_hand", description="The hand is finished.")
    ONE_MORE = word("one_more", description="The hand is finished, and one more is played.")


@strawberry.enum(description="A criterion that may give way.")
class GivenWay(Enum):
    SERIES = word("series", description="The two have played all matches of the month that count in the series.")
    MEETINGS = word("meetings", description="They have met before, within the window of the plan.")
    PARTNERS = word("partners", description="They were partners before, within the window of the plan.")
    BYES = word("byes", description="They sit out again.")


@strawberry.enum(description="At which stage two were put together.")
class PairingStage(Enum):
    OPPONENTS = word("opponents", description="As opponents.")
    PARTNERS = word("partners", description="As partners.")
    TABLES = word("tables", description="As two pairs at a table.")
    FIXED = word("fixed", description="Nothing was chosen: the format says who meets.")


@strawberry.enum(description="What a pairing weighs, in this order.")
class PairingCriterion(Enum):
    SERIES = word("series", description="Pairs that are locked in the series do not meet.")
    BYES = word("byes", description="Those with the fewest byes sit out, and of these the lowest place.")
    MEETINGS = word("meetings", description="Nobody meets the same opponent within the window.")
    PARTNERS = word("partners", description="Nobody has the same partner within the window.")
    WON = word("won", description="Those who have won as often come together: the square of the difference.")
    REGION = word("region", description="Those of one region are kept apart in the first rounds.")
    PLACES = word("places", description="Neighbours in the standing meet: the square of the difference.")
    CHANCE = word("chance", description="The lot: tie values that everybody can compute again.")
