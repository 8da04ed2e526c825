"""Deciders of rounds: drawing, pairing, publishing, withdrawing and closing them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from league.domain.refusals import InvalidInput, NotFound
from league.domain.sentences import Sentence, either, say, say_count
from league.domain.texts_and_times import check_readable
from league.domain.wrong_states import NothingToConfirm
from league.tournaments.domain import commands as c
from league.tournaments.domain import events as e
from league.tournaments.domain.brackets import ties_of
from league.tournaments.domain.drawn import WHIST_SIZES, RankedCompetitor, seed_of
from league.tournaments.domain.entering import entry_of, known, named, open_plan
from league.tournaments.domain.groups import LEAST_IN_GROUP
from league.tournaments.domain.inputs import (
    begins_knockout,
    contribute_seed,
    fixed_tables,
    is_asking,
    left_in_knockout,
    tables_without_result,
    would_differ,
)
from league.tournaments.domain.outcomes import PointRules, pending_matches
from league.tournaments.domain.plan import USUAL_ADVANCE, WITH_KNOCKOUT, Plan, but_rounds, plan_hash, withdrawals_of
from league.tournaments.domain.refusals import (
    STATES,
    DrawItAgain,
    GroupsNotFilled,
    NoFullCycle,
    NoRoundLeft,
    NothingDrawn,
    ResultsMissing,
    RoundHasBegun,
    RoundIsClosed,
    RoundIsDrawn,
    RoundIsPublished,
    RoundIsWithdrawn,
    RoundNotPaired,
    RoundNotPublished,
    RoundOutdated,
    TablesOutdated,
    TooFewCompetitors,
)
from league.tournaments.domain.results import MatchSummary, Results
from league.tournaments.domain.schedule import is_knockout, rounds_of
from league.tournaments.domain.state import RoundState, TournamentState


def draw_round(
    command: c.DrawRound,
    state: TournamentState,
    competitors: Sequence[RankedCompetitor],
    locked: Sequence[tuple[str, str]],
    results: Results,
    points: PointRules,
    now: datetime,
) -> list[e.TournamentEvent]:
    """Close the inputs of the next round, or draw a round again that is not published. Closes the round before it.

    `competitors`: those who are available, as the drawing stores them; `locked`: pairs that the series has locked.
    Raises NotFound, WrongState, InvalidInput.
    """
    plan = open_plan(state)
    last = state.rounds[-1] if state.rounds else None
    closing: list[e.TournamentEvent] = []
    if last is not None and last.status == "drawn":
        number = last.number
        if command.again is None and command.again_without is None:
            raise RoundIsDrawn(
                named_round(number), say("drawn"), say("publish it, or say why it is drawn again"), "again"
            )
        check_readable("again", command.again or "", with_lines=True)
        if is_asking(last, now):
            raise RoundNotPaired(
                named_round(number), say("being drawn"), say("devices are asked for their bytes; try again"), "again"
            )
    else:
        number = state.next_round
        if command.again is not None:
            raise NothingDrawn(named_round(number), say("not drawn"), say("there is nothing to draw again"), "again")
        if last is not None and last.status == "published":
            closing = close_round(c.CloseRound(state.id, last.number), state, results, points)
    _check_number(number, plan, state)
    left = left_in_knockout(state, results)
    if not _meet(left, state, number):  # two who left meet without playing, so that the bracket goes on
        check_many(len(competitors), plan, number)
    _check_decided(state, number, results, points)
    if plan.full_cycle and number == 1:
        _check_cycle(len(competitors), plan)
    meetings = _meetings(command, plan, [one.id for one in competitors])
    fixed = fixed_tables(state, number, state.available())
    drawn = e.RoundDrawn(
        number, tuple(competitors), tuple(locked), fixed, meetings, command.day, command.until, command.again,
        command.again_without, state.requested(), left,
    )  # fmt: skip
    return [*closing, drawn]


def pair_round(command: c.PairRound, state: TournamentState) -> list[e.TournamentEvent]:
    """Store the tables that follow from a drawing. Raises NotFound, TablesOutdated."""
    known(state)
    of = known_round(command.round, state)
    if of.status != "drawn" or of.root is not None or of.drawings != command.drawing:
        raise TablesOutdated(
            named_round(of.number), say("drawn again or published"), say("these tables are of another drawing")
        )
    seed, paired = seed_of(command.root, state.id, of.number, [one.bytes for one in of.contributions]), command.paired
    if seed != command.seed:
        raise TablesOutdated(
            named_round(of.number),
            say("being drawn"),
            say("bytes of a device have come since the tables were computed"),
        )
    return [
        e.RoundPaired(
            of.number, command.position, command.root, command.signed, seed, paired.tables, paired.byes, paired.relaxed,
            command.commitments, of.contributions, paired.groups, paired.bracket, paired.third_place_bye,
        )
    ]  # fmt: skip


def contribute(command: c.ContributeSeed, state: TournamentState) -> list[e.TournamentEvent]:
    """Store the bytes of a competitor's device for a drawing. Raises NotFound, and what `contribute_seed` raises."""
    known(state)
    entry_of(state, command.competitor)
    return contribute_seed(command, known_round(command.round, state), state)


def publish_round(
    command: c.PublishRound, state: TournamentState, matches: Sequence[e.OpenedAt]
) -> list[e.TournamentEvent]:
    """Announce a round. `matches`: the matches that open with it. Raises NotFound, WrongState."""
    open_plan(state)
    of = to_publish(command, state)
    return [e.RoundPublished(of.number, tuple(matches))]


def to_publish(command: c.PublishRound, state: TournamentState) -> RoundState:
    """The round to announce. Raises NotFound, and WrongState if it is not paired, published, or out of date."""
    of = known_round(command.round, state)
    if of.status == "withdrawn":
        raise RoundIsWithdrawn(named_round(of.number), STATES[of.status], say("draw it anew"), "round")
    if of.status != "drawn":
        raise RoundIsPublished(named_round(of.number), say("published"), say("a round is published once"), "round")
    if of.root is None:
        raise RoundNotPaired(
            named_round(of.number), say("not paired"), say("its tables are being computed; try again"), "round"
        )
    if of.plan_hash != plan_hash(but_rounds(known(state))):
        reason = say("its plan has changed since it was drawn: draw it again")
        raise DrawItAgain(named_round(of.number), say("out of date"), reason, "round")
    for id_ in (*of.order, *of.requested):
        if state.entries[id_].withdrawn_at is not None:
            reason = say("{competitor!r} has withdrawn since it was drawn: draw it again", competitor=id_)
            raise DrawItAgain(named_round(of.number), say("out of date"), reason, "round")
    return of


def check_inputs(
    command: c.PublishRound,
    state: TournamentState,
    of: RoundState,
    results: Results,
    points: PointRules,
    ratings: Mapping[str, float],
) -> None:
    """Raise RoundOutdated if a drawn round would have other inputs now, unless the command says `even_if_outdated`.

    Raise DrawItAgain in a knock-out after the first round, whatever the command says: who plays on follows the results.
    """
    assert of.drawing is not None, "it is drawn"
    plays_on = of.number > 1 and is_knockout(known(state), state.groups, of.number)
    if command.even_if_outdated and not plays_on:
        return
    if not would_differ(state, of.drawing, of.seed, results, points, ratings):
        return
    if plays_on:
        reason = say("who plays on has changed since it was drawn, or a result is open again: draw it again")
        raise DrawItAgain(named_round(of.number), say("out of date"), reason, "round")
    raise RoundOutdated(state.id, of.number)


def withdraw_round(
    command: c.WithdrawRound, state: TournamentState, results: Mapping[str, MatchSummary]
) -> list[e.TournamentEvent]:
    """Withdraw the last published round (rules, Tournaments, Drawing).

    `results`: those of all matches that its tables have had. Raises NotFound, WrongState, InvalidInput.
    """
    open_plan(state)
    check_readable("reason", command.reason, with_lines=True)
    of = known_round(command.round, state)
    _check_published(of, say("only a published round is withdrawn"))
    begun = [
        table.number
        for table in of.tables
        if table.absent != of.not_drawn(table) or any(results[match].begun for match in table.matches)
    ]
    if begun:
        reason = say(
            "tables with a hand, a result or an absence: {tables}; a round is withdrawn before play begins",
            tables=", ".join(map(str, begun)),
        )
        raise RoundHasBegun(named_round(of.number), say("in play"), reason, "round")
    return [e.RoundWithdrawn(of.number, command.reason)]


def close_round(
    command: c.CloseRound, state: TournamentState, results: Results, points: PointRules
) -> list[e.TournamentEvent]:
    """Close a round in which every table has a result. Raises NotFound, WrongState."""
    open_plan(state)
    of = known_round(command.round, state)
    _check_published(of, say("only a published round is closed"))
    open_ = tables_without_result(of, results, points)
    if open_:
        raise ResultsMissing(
            named_round(of.number), say("in play"),
            say("tables without a result: {tables}", tables=", ".join(map(str, open_))), "round",
        )  # fmt: skip
    return [e.RoundClosed(of.number)]


def to_confirm(
    command: c.ConfirmRound, state: TournamentState, results: Results, disputed: Collection[str]
) -> list[str]:
    """The matches of a round to confirm for everybody: those whose results await confirmation and are not disputed.

    Raises NotFound, RoundNotPublished, and NothingToConfirm if there are none.
    """
    known(state)
    of = known_round(command.round, state)
    if of.status not in {"published", "closed"}:
        raise RoundNotPublished(named_round(of.number), STATES[of.status], say("it has no results"), "round")
    matches = pending_matches(of, results)
    if not set(matches) - {*disputed}:
        reason = (
            say("the results that await confirmation are disputed") if matches else say("no result awaits confirmation")
        )
        raise NothingToConfirm(named_round(of.number), STATES[of.status], reason, "round")
    return [match for match in matches if match not in disputed]


# ---------------------------------------------------------------- checks of rounds


def known_round(number: int, state: TournamentState) -> RoundState:
    """The round with this number. Raises NotFound."""
    of = state.round(number)
    if of is None:
        raise NotFound("round", "round", str(number))
    return of


def _check_published(of: RoundState, reason: Sentence) -> None:
    """Raise RoundNotPublished, RoundIsWithdrawn or RoundIsClosed unless the round is published and not closed."""
    kinds = {"drawn": RoundNotPublished, "withdrawn": RoundIsWithdrawn, "closed": RoundIsClosed}
    if of.status in kinds:
        raise kinds[of.status](named_round(of.number), STATES[of.status], reason, "round")


def named_round(number: int) -> Sentence:
    """The name of a round within a sentence."""
    return say("round {round}", round=number)


def _check_number(number: int, plan: Plan, state: TournamentState) -> None:
    if plan.format == "fixtures" and plan.rounds is None:
        return
    most = rounds_of(state)
    if number > most and state.rounds:
        reason = say_count(
            "its plan has {count} round; add one, or end it", "its plan has {count} rounds; add one, or end it", most
        )
        raise NoRoundLeft(named(state), say("complete"), reason, "plan.rounds")


def _meet(left: Collection[str], state: TournamentState, number: int) -> bool:
    """Whether two of those who left would meet in this round of a knock-out."""
    if not left:
        return False
    began = state.knockout[0]
    return any(None not in tie.sides for tie in ties_of(began.bracket, number - began.number + 1, left))


def check_many(count: int, plan: Plan, number: int) -> None:
    """Raise TooFewCompetitors or GroupsNotFilled if `count` competitors are too few. `number`: of the round."""
    least = 4 if plan.format == "rotating_partners" else 2
    # Who has lost all others plays on alone: by byes in a knock-out, by walkovers against those who left a round robin.
    if number > 1 and (plan.format in WITH_KNOCKOUT or withdrawals_of(plan) is not None):
        least = 1
    if plan.format == "groups" and number == 1:
        _check_groups(count, plan)
    if count < least:
        reason = say_count(
            "{count} competitor is available, and the round needs at least {least}; {what_helps}",
            "{count} competitors are available, and the round needs at least {least}; {what_helps}",
            count,
            least=least,
            what_helps=_what_helps(plan, number),
        )
        raise TooFewCompetitors(named_round(number), say("short of competitors"), reason)


def _what_helps(plan: Plan, number: int) -> Sentence:
    """What gives a round more competitors."""
    if number > 1:
        return say("let more enter, check in or return, or end the tournament")
    return say("say first who is here, or enter more") if plan.check_in else say("enter more, or let them return")


def _check_groups(count: int, plan: Plan) -> None:
    """Raise GroupsNotFilled if `count` competitors cannot fill the groups, or too many of a group would advance."""
    groups, advance = plan.groups or 0, plan.advance or USUAL_ADVANCE
    short = say("short of competitors")
    if count < LEAST_IN_GROUP * groups and plan.check_in:
        reason = say(
            "{groups} groups take at least {least} competitors, and {count} have checked in; say first who is here, "
            "enter more, or plan fewer groups",
            groups=groups, least=LEAST_IN_GROUP * groups, count=count,
        )  # fmt: skip
        raise GroupsNotFilled(named_round(1), short, reason, "plan.groups")
    if count < LEAST_IN_GROUP * groups:
        reason = say(
            "{groups} groups take at least {least} competitors, and {count} are available; enter more, or plan fewer",
            groups=groups, least=LEAST_IN_GROUP * groups, count=count,
        )  # fmt: skip
        raise GroupsNotFilled(named_round(1), short, reason, "plan.groups")
    if advance >= count // groups:
        reason = say(
            "the smallest group has {size}, so at most {most} of each group can advance", size=count // groups,
            most=count // groups - 1,
        )  # fmt: skip
        raise GroupsNotFilled(named_round(1), short, reason, "plan.advance")


def _check_decided(state: TournamentState, number: int, results: Results, points: PointRules) -> None:
    """Raise ResultsMissing if a knock-out round would be drawn while a result is missing on which it depends."""
    if not is_knockout(state.known_plan, state.groups, number):
        return
    for of in state.published if begins_knockout(state) else state.knockout[-1:]:
        open_ = tables_without_result(of, results, points)
        if open_:
            reason = say("tables without a result: {tables}", tables=", ".join(map(str, open_)))
            raise ResultsMissing(named_round(of.number), say("in play"), reason, "round")


def _check_cycle(count: int, plan: Plan) -> None:
    if count not in WHIST_SIZES:
        sizes = either(map(str, WHIST_SIZES))
        reason = say("a full cycle takes {sizes} players, and {count} are available", sizes=sizes, count=count)
        raise NoFullCycle(say("the round"), say("without a full cycle"), reason, "plan.full_cycle")
    if plan.rounds is not None and plan.rounds > count - 1:
        reason = say("a full cycle of {count} players has {rounds} rounds", count=count, rounds=count - 1)
        raise NoFullCycle(say("the round"), say("without a full cycle"), reason, "plan.rounds")


def _meetings(command: c.DrawRound, plan: Plan, available: Sequence[str]) -> tuple[tuple[str, str], ...] | None:
    given = {"meetings": command.meetings, "day": command.day, "until": command.until}
    if plan.format != "fixtures":
        for at, value in given.items():
            if value is not None:
                raise InvalidInput(at, say("only a tournament of fixtures has this"))
    if command.day is not None and command.until is not None:
        raise InvalidInput("until", say("give a day, or a last day"))
    if command.meetings is not None:
        _check_meetings(command.meetings, available)
    return command.meetings


def _check_meetings(meetings: Sequence[tuple[str, str]], available: Sequence[str]) -> None:
    if not meetings:
        raise InvalidInput("meetings", say("must not be empty"))
    met: set[str] = set()
    for number, meeting in enumerate(meetings):
        for end, id_ in zip(("one", "other"), meeting, strict=True):
            at = f"meetings.{number}.{end}"
            if id_ not in available:
                raise NotFound(at, "competitor", id_)
            if id_ in met:
                raise InvalidInput(at, say("{competitor!r} is named twice", competitor=id_))
            met.add(id_)
