"""GraphQL inputs of a plan: a new one, and changes of one. They have the shape of the plan that is read."""

from enum import Enum
from typing import Any

import strawberry
from strawberry import field

from league.api.graphql.leaf_types import Competition, MatchMode, optional, word
from league.tournaments.api.plans import (
    BEST_OF,
    DIFFERENCE_CAP,
    SETUP_MINUTES,
    THIRD_PLACE,
    AtBell,
    FirstRound,
    PartnerChoice,
    TieBreakName,
    TournamentFormat,
    Withdrawals,
)


@strawberry.input(description="What a bye or a walkover gives.")
class AwardedInput:
    won: bool = field(default=True, description="Whether it counts as a match won.")
    points_for: int | None = optional("Own points; null: half of the target, rounded down.")
    points_against: int = field(default=0, description="Points of the other side.")


@strawberry.input(description="What a bye gives to a competitor who asked for it.")
class RequestedByeInput:
    won: bool = field(default=False, description="Whether it counts as a match won.")
    points_for: int = field(default=0, description="Own points.")
    points_against: int = field(default=0, description="Points of the other side.")


@strawberry.input(description="How many earlier rounds count when a pairing avoids repeated opponents or partners.")
class WindowInput:
    rounds: int | None = optional("Number of rounds; null: all rounds.")


@strawberry.input(description="A plan. Omitted settings take the format's defaults.")
class TournamentPlanInput:
    name: str = field(description="The name of the tournament.")
    format: TournamentFormat = field(description="How it decides who meets whom.")
    ruleset: str = field(description="The ruleset of its matches.")
    mode: MatchMode = field(default=MatchMode.TWO_ON_TWO, description="The mode of its matches.")
    competition: Competition = field(default=Competition.SPECIAL, description="What its matches count for.")
    rounds: int | None = optional("Number of rounds. Swiss and rotating partners need it; a round robin does not.")
    legs: int = field(default=1, description="How often everybody meets everybody in a round robin: 1 or 2.")
    first_round: FirstRound = field(default=FirstRound.DRAWN, description="How the first round is ordered.")
    opponent_window: WindowInput | None = optional(
        "Earlier rounds in which a meeting counts; null: 3 rounds with rotating partners, otherwise all."
    )
    partner_window: WindowInput | None = optional("Earlier rounds in which a partnership counts; null: 3 rounds.")
    partners: PartnerChoice = field(default=PartnerChoice.NEAR, description="How partners are found.")
    full_cycle: bool = field(
        default=False, description="Every player is every other player's partner once: for 8, 12 or 16 players."
    )
    region_rounds: int = field(
        default=0, description="Number of first rounds in which competitors of one region do not meet."
    )
    locked_play_casually: bool = field(
        default=False, description="A pair that is locked in the series may meet, in a casual match."
    )
    tie_breaks: list[TieBreakName] | None = optional(
        "In their order; null: `BUCHHOLZ`, `DIFFERENCE`, `POINTS_FOR`, and in groups `DIRECT`, `DIFFERENCE`, "
        "`POINTS_FOR`. A knock-out has none."
    )
    score_cap: int | None = optional("The most points of a match that count; null: the target.")
    bye: AwardedInput | None = optional("Null: won, half of the target to 0.")
    walkover: AwardedInput | None = optional("Null: won, half of the target to 0.")
    minutes: int | None = optional("Length of a round in minutes; null means untimed.")
    setup_minutes: int = field(default=0, description=SETUP_MINUTES)
    at_bell: AtBell = field(default=AtBell.FINISH_HAND, description="What happens at the end of a round's time.")
    check_in: bool = field(default=False, description="Only those play who have checked in.")
    late_entries: int = field(
        default=0, description="Competitors may enter until this round is published; 0: until the first round is."
    )
    difference_cap: int | None = optional(DIFFERENCE_CAP)
    requested_bye: RequestedByeInput | None = optional(
        "Null: not won, 0 to 0. Only in Swiss tournaments and with rotating partners."
    )
    withdrawals: Withdrawals | None = optional(
        "What becomes of the meetings of a competitor who leaves. Only in a round robin and in groups; null: "
        "`ANNUL_BELOW_HALF`."
    )
    best_of: list[int] | None = optional(BEST_OF + " Null: 1.")
    third_place: bool | None = optional(THIRD_PLACE)
    groups: int | None = optional("Number of groups. Only the format `GROUPS` has it, and needs it.")
    advance: int | None = optional("How many of each group enter the knock-out; null: 2.")

    def document(self) -> dict[str, Any]:
        """The plan as a document, without the settings that are null."""
        return _document(self)


@strawberry.input(
    description="Settings of a plan that change. What is null or left out stays: `remove` names what returns to its "
    "default. A plan that was read can be sent back, without `hash` and `rules`."
)
class TournamentPlanChangesInput:
    name: str | None = optional("The name of the tournament.")
    format: TournamentFormat | None = optional("How it decides who meets whom.")
    ruleset: str | None = optional("The ruleset of its matches.")
    mode: MatchMode | None = optional("The mode of its matches.")
    competition: Competition | None = optional("What its matches count for.")
    rounds: int | None = optional("Number of rounds.")
    legs: int | None = optional("How often everybody meets everybody in a round robin: 1 or 2.")
    first_round: FirstRound | None = optional("How the first round is ordered.")
    opponent_window: WindowInput | None = optional("Earlier rounds in which a meeting counts.")
    partner_window: WindowInput | None = optional("Earlier rounds in which a partnership counts.")
    partners: PartnerChoice | None = optional("How partners are found.")
    full_cycle: bool | None = optional("Every player is every other player's partner once: for 8, 12 or 16 players.")
    region_rounds: int | None = optional("Number of first rounds in which competitors of one region do not meet.")
    locked_play_casually: bool | None = optional("Pairs that are locked in the series may meet, in a casual match.")
    tie_breaks: list[TieBreakName] | None = optional("In their order.")
    score_cap: int | None = optional("The most points of a match that count.")
    bye: AwardedInput | None = optional("What a bye gives.")
    walkover: AwardedInput | None = optional("What a walkover gives.")
    minutes: int | None = optional("Length of a round in minutes.")
    setup_minutes: int | None = optional(SETUP_MINUTES)
    at_bell: AtBell | None = optional("What happens at the end of a round's time.")
    check_in: bool | None = optional("Only those play who have checked in.")
    late_entries: int | None = optional(
        "Competitors may enter until this round is published; 0: until the first round is."
    )
    difference_cap: int | None = optional("The most that one round adds to `DIFFERENCE`, either way.")
    requested_bye: RequestedByeInput | None = optional("What a bye gives to a competitor who asked for it.")
    withdrawals: Withdrawals | None = optional(
        "What becomes of the meetings of a competitor who leaves a round robin or a group."
    )
    best_of: list[int] | None = optional(BEST_OF)
    third_place: bool | None = optional(THIRD_PLACE)
    groups: int | None = optional("Number of groups.")
    advance: int | None = optional("How many of each group enter the knock-out.")

    def document(self) -> dict[str, Any]:
        """The settings that change, as a document."""
        return _document(self)


@strawberry.enum(description="A setting of a plan that has a default.")
class TournamentSetting(Enum):
    MODE = word("mode", "`mode`, whose default is `TWO_ON_TWO`.")
    COMPETITION = word("competition", "`competition`, whose default is `SPECIAL`.")
    ROUNDS = word("rounds", "`rounds`: without it, the format says how many there are.")
    LEGS = word("legs", "`legs`, whose default is 1.")
    FIRST_ROUND = word("first_round", "`firstRound`, whose default is `DRAWN`.")
    OPPONENT_WINDOW = word("opponent_window", "`opponentWindow`: 3 rounds with rotating partners, otherwise all.")
    PARTNER_WINDOW = word("partner_window", "`partnerWindow`, whose default is 3 rounds.")
    PARTNERS = word("partners", "`partners`, whose default is `NEAR`.")
    FULL_CYCLE = word("full_cycle", "`fullCycle`, whose default is false.")
    REGION_ROUNDS = word("region_rounds", "`regionRounds`, whose default is 0.")
    LOCKED_PLAY_CASUALLY = word("locked_play_casually", "`lockedPlayCasually`, whose default is false.")
    TIE_BREAKS = word("tie_breaks", "`tieBreaks`, whose default depends on the format.")
    SCORE_CAP = word("score_cap", "`scoreCap`, whose default is the target.")
    BYE = word("bye", "`bye`: won, half of the target to 0.")
    WALKOVER = word("walkover", "`walkover`: won, half of the target to 0.")
    MINUTES = word("minutes", "`minutes`: without it, rounds are untimed.")
    SETUP_MINUTES = word("setup_minutes", "`setupMinutes`, whose default is 0.")
    AT_BELL = word("at_bell", "`atBell`, whose default is `FINISH_HAND`.")
    CHECK_IN = word("check_in", "`checkIn`, whose default is false.")
    LATE_ENTRIES = word("late_entries", "`lateEntries`, whose default is 0.")
    DIFFERENCE_CAP = word("difference_cap", "`differenceCap`: without it, whole differences count.")
    REQUESTED_BYE = word("requested_bye", "`requestedBye`: not won, 0 to 0.")
    WITHDRAWALS = word("withdrawals", "`withdrawals`, whose default is `ANNUL_BELOW_HALF` in a round robin or a group.")
    BEST_OF = word("best_of", "`bestOf`, whose default is 1.")
    THIRD_PLACE = word("third_place", "`thirdPlace`: without it, it is played if four or more enter the knock-out.")
    GROUPS = word("groups", "`groups`: without it, there are none.")
    ADVANCE = word("advance", "`advance`, whose default is 2.")


IN_PLAN = {
    "plan.opponent_window": "plan.opponentWindow.rounds",
    "plan.partner_window": "plan.partnerWindow.rounds",
    **{
        f"plan.{award}.{own}": f"plan.{shown}.{named}"
        for award, shown in (("bye", "bye"), ("walkover", "walkover"), ("requested_bye", "requestedBye"))
        for own, named in (("for", "pointsFor"), ("against", "pointsAgainst"))
    },
}
"""Maps the path of a setting in the plan to its path in an input that has a `plan`."""


def _document(settings: TournamentPlanInput | TournamentPlanChangesInput) -> dict[str, Any]:
    """The settings that are not null, as the plan stores them."""
    return {name: _in_document(value) for name, value in vars(settings).items() if value is not None}


def _in_document(given: Any) -> Any:
    """The value of a setting as the plan stores it."""
    match given:
        case Enum():
            return given.value
        case list():
            return [one.value if isinstance(one, Enum) else one for one in given]
        case WindowInput():
            return "all" if given.rounds is None else given.rounds
        case AwardedInput() | RequestedByeInput():
            return {"won": given.won, "for": given.points_for, "against": given.points_against}
    return given
