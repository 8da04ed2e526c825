"""Sentences about what happened in a tournament, and words for its settings and states."""

from datetime import date

from league.domain.deciders import Event
from league.domain.sentences import say
from league.tournaments.domain import events as e
from league.tournaments.domain.refusals import STATES
from league.wording.matches import EventContext, StreamWords, WordPart
from league.wording.numbers import date_of


def _of_tournament(tournament: str, event: Event, around: EventContext) -> str:
    """What happened in a tournament, in a sentence without a full stop."""
    return say("Tournament {tournament}: {what}", tournament=around.title or tournament, what=_what(event, around))


def _what(event: Event, around: EventContext) -> str:  # noqa: C901, PLR0911, PLR0912  # one return for each event
    match event:
        case e.TournamentPlanned():
            return say("planned as {name!r}, {format}", name=event.plan.name, format=words_of_format(event.plan.format))
        case e.PlanChanged():
            return say("its plan was changed")
        case e.CompetitorEntered(replaces=None):
            return say("{competitor} entered", competitor=named(event.competitor, around))
        case e.CompetitorEntered():
            replaced = named(event.replaces or "", around)
            return say(
                "{competitor} entered in the place of {replaced}",
                competitor=named(event.competitor, around), replaced=replaced,
            )  # fmt: skip
        case e.CompetitorCheckedIn():
            return say("{competitor} checked in", competitor=named(event.competitor, around))
        case e.CompetitorWithdrew(reason=None):
            return say("{competitor} withdrew", competitor=named(event.competitor, around))
        case e.CompetitorWithdrew():
            return say(
                "{competitor} withdrew: {reason}", competitor=named(event.competitor, around), reason=event.reason
            )
        case e.CompetitorReturned():
            return say("{competitor} returned", competitor=named(event.competitor, around))
        case e.ByeRequested():
            return say(
                "{competitor} asked for a bye of round {round}",
                competitor=named(event.competitor, around), round=event.round,
            )  # fmt: skip
        case e.ByeTakenBack():
            return say(
                "{competitor} took back the request for a bye of round {round}",
                competitor=named(event.competitor, around), round=event.round,
            )  # fmt: skip
        case e.SeedCommitted():
            return say(
                "{competitor}'s device takes part in the next drawing", competitor=named(event.competitor, around)
            )
        case e.SeedContributed():
            return say(
                "{competitor}'s device gave its bytes for round {round}",
                competitor=named(event.competitor, around), round=event.round,
            )  # fmt: skip
        case e.RoundDrawn(again_without=(a, b)):
            return say(
                "round {round} was drawn again: {a} and {b} have met as often as the series allows",
                round=event.round, a=named(a, around), b=named(b, around),
            )  # fmt: skip
        case e.RoundDrawn(again=None):
            return say("round {round} was drawn among {count}", round=event.round, count=len(event.competitors))
        case e.RoundDrawn():
            return say("round {round} was drawn again: {reason}", round=event.round, reason=event.again)
        case e.RoundPaired():
            return say("the tables of round {round} follow from the drawing", round=event.round)
        case e.RoundPublished():
            return say("round {round} was published", round=event.round)
        case e.RoundWithdrawn():
            return say("round {round} was withdrawn: {reason}", round=event.round, reason=event.reason)
        case e.FixtureOpened():
            return say(
                "play began at table {table} of round {round}: match {match}",
                table=event.table, round=event.round, match=around.match() or event.match,
            )  # fmt: skip
        case e.GameOpened():
            return say(
                "game {game} began at table {table} of round {round}: match {match}",
                game=event.game, table=event.table, round=event.round, match=around.match() or event.match,
            )  # fmt: skip
        case e.PairingsChanged():
            tables = ", ".join(str(table.table) for table in event.tables)
            return say(
                "tables of round {round} were paired by hand ({tables}): {reason}",
                round=event.round, tables=tables, reason=event.reason,
            )  # fmt: skip
        case e.AbsenceClaimed():
            return say(
                "side {side} is said not to have come to table {table} of round {round}",
                side=event.side, table=event.table, round=event.round,
            )  # fmt: skip
        case e.AbsenceRecorded() if len(event.sides) > 1:
            return say("nobody came to table {table} of round {round}", table=event.table, round=event.round)
        case e.AbsenceRecorded():
            return say(
                "side {side} did not come to table {table} of round {round}",
                side=event.sides[0], table=event.table, round=event.round,
            )  # fmt: skip
        case e.MatchReplaced():
            return say(
                "table {table} of round {round} is replayed as match {match}: {reason}",
                match=around.match() or event.match, table=event.table, round=event.round, reason=event.reason,
            )  # fmt: skip
        case e.RoundClosed():
            return say("round {round} was closed", round=event.round)
        case e.TournamentEnded():
            return say("ended")
    raise TypeError(event)


def words_of_format(format_: str) -> str:
    """The word for a format. `format_`: the value in the plan."""
    return {
        "round_robin": say("round robin"),
        "swiss": say("Swiss"),
        "rotating_partners": say("rotating partners"),
        "fixtures": say("fixtures"),
        "knockout": say("knock-out"),
        "groups": say("groups and knock-out"),
    }[format_]


def words_of_ties(ties: int) -> str:
    """The name of a round of a knock-out. `ties`: how many ties the bracket has place for in it."""
    named = {
        1: say("Final"), 2: say("Semi-finals"), 4: say("Quarter-finals"), 8: say("Round of 16"), 16: say("Round of 32")
    }  # fmt: skip
    return named.get(ties) or say("Round of {count}", count=2 * ties)


_STATUSES = {
    **STATES,
    "planned": say("planned"),
    "running": say("running"),
    "ended": say("over"),
    "scheduled": say("to be played"),
    "walkover": say("walkover"),
    "double_absence": say("nobody came"),
    "bye": say("sits out"),
    "requested_bye": say("asked for a bye"),
}


def words_of_status(status: str) -> str:
    """The word for the status of a tournament, a round or a table. `status`: the value in the state."""
    return say(_STATUSES[status])


def days_of(day: date | None, until: date | None) -> list[str]:
    """The day or last day of fixtures, as parts of a heading."""
    on = [] if day is None else [say("on {day}", day=date_of(day))]
    return [*on, *([] if until is None else [say("until {day}", day=date_of(until))])]


def words_of_tie_break(name: str) -> str:
    """The heading for a tie-break. `name`: the value in the plan."""
    return {
        "difference": say("Difference"),
        "points_for": say("Points"),
        "buchholz": say("Buchholz"),
        "buchholz_cut": say("Buchholz less 1"),
        "buchholz_median": say("Median Buchholz"),
        "sonneborn_berger": say("Sonneborn-Berger"),
        "direct": say("Direct"),
        "best_hand": say("Best hand"),
        "fewest_byes": say("Byes"),
    }[name]


def words_of_relaxed(criterion: str, who: str, earlier: int | None) -> str:
    """A clause that says which criterion gave way. `who`: names of those for whom; `earlier`: round of the meeting."""
    return {
        "series": say("{who}: locked in the series of this month", who=who),
        "meetings": say("{who} met in round {round}", who=who, round=earlier),
        "partners": say("{who} were partners in round {round}", who=who, round=earlier),
        "byes": say("{who} sits out again", who=who),
    }[criterion]


def named(competitor: str, around: EventContext) -> str:
    """The names of a competitor's players, joined by `&`."""
    return " & ".join(around.named(player) for player in competitor.split("+"))


def _players(_id: str, event: Event) -> set[str]:
    match event:
        case e.CompetitorEntered():
            return {*event.players, *(event.replaces or "").split("+")} - {""}
        case (
            e.CompetitorCheckedIn()
            | e.CompetitorWithdrew()
            | e.CompetitorReturned()
            | e.ByeRequested()
            | e.ByeTakenBack()
            | e.SeedCommitted()
            | e.SeedContributed()
        ):
            return set(event.competitor.split("+"))
    return set()


WORDS = WordPart((StreamWords("tournament", _of_tournament, _players),))
