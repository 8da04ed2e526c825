"""Deciders of plans and competitors: planning a tournament, entering, checking in, withdrawing, ending."""

from collections.abc import Iterator, Mapping
from functools import partial

from msgspec.structs import replace

from league.domain.collected_refusals import Faults
from league.domain.player import check_id
from league.domain.refusals import AlreadyExists, InvalidInput, NotFound, Refusal
from league.domain.rules import Rulebook
from league.domain.seating import MODES, competitor_of
from league.domain.sentences import Sentence, either, say
from league.domain.texts_and_times import check_readable
from league.tournaments.domain import commands as c
from league.tournaments.domain import events as e
from league.tournaments.domain.inputs import commit_seed
from league.tournaments.domain.outcomes import PointRules, lacks_result
from league.tournaments.domain.plan import (
    WITH_REQUESTED_BYES,
    Plan,
    but_rounds,
    changed_document,
    parse_plan,
    players_of_competitor,
)
from league.tournaments.domain.refusals import (
    STATES,
    AlreadyCheckedIn,
    AlreadyWithdrawn,
    ByeIsRequested,
    ByeNotRequested,
    EntriesAreClosed,
    NoRequestedByes,
    NotWithdrawn,
    PlaceIsTaken,
    PlanIsFixed,
    ResultsMissing,
    RoundIsDrawn,
    RoundIsPublished,
    RoundNotClosed,
    StillTakesPart,
    TournamentHasEnded,
    TournamentIsFull,
)
from league.tournaments.domain.results import Results
from league.tournaments.domain.schedule import rounds_of
from league.tournaments.domain.state import CompetitorEntry, TournamentState

LONGEST_ID = 48
"""Limit on the characters of a tournament's id. The ids of its matches begin with it."""
MOST_ENTRANTS = 1_024
"""Limit on the competitors who take part in a tournament at the same time (rules, Tournaments)."""
TOO_MANY_ENTRANTS = say(
    "at most {most} competitors take part; plan another tournament for the others", most=MOST_ENTRANTS
)


def plan_tournament(command: c.PlanTournament, state: TournamentState, rulebook: Rulebook) -> list[e.TournamentEvent]:
    """Plan a tournament. Raises AlreadyExists, InvalidInput, NotFound (ruleset), Faults."""
    if state.plan is not None:
        raise AlreadyExists("tournament", "tournament", command.tournament)
    read = partial(parse_plan, command.plan, partial(faults_of_ruleset, rulebook=rulebook))
    Faults.check(Faults.found_by(partial(check_tournament_id, command.tournament), read))
    return [e.TournamentPlanned(read())]


def change_plan(command: c.ChangePlan, state: TournamentState, rulebook: Rulebook) -> list[e.TournamentEvent]:
    """Change settings of the plan, which stays under the rules that it was made under. What is not named stays.

    Raises NotFound, InvalidInput, WrongState, Faults.
    """
    before = open_plan(state)
    document = changed_document(before, command.plan, command.remove)
    plan = parse_plan(document, partial(faults_of_ruleset, rulebook=rulebook), before.rules)
    if state.status == "planned":
        if (plan.mode, plan.format) != (before.mode, before.format) and state.entries:
            raise PlanIsFixed(
                named(state),
                say("open for entries"),
                say("its mode and format stay, for competitors have entered"),
                "plan",
            )
        return [e.PlanChanged(plan)]
    if but_rounds(plan) != but_rounds(before):
        raise PlanIsFixed(
            named(state), say("running"), say("after its first round only the number of rounds may change"), "plan"
        )
    least = sum(of.status != "withdrawn" for of in state.rounds)
    if plan.rounds is not None and plan.rounds < least:
        raise InvalidInput("plan.rounds", say("must be at least {least}", least=least))
    return [e.PlanChanged(replace(before, rounds=plan.rounds))]


def enter(
    command: c.EnterCompetitor,
    state: TournamentState,
    regions: Mapping[str, str | None],
    ids_of: Mapping[str, frozenset[str]],
) -> list[e.TournamentEvent]:
    """Enter a player or a pair.

    `regions`: the region of each player whom the league knows; `ids_of`: each player's ids, including merged ones.
    Raises NotFound, InvalidInput, AlreadyExists, WrongState.
    """
    plan = open_plan(state)
    size = players_of_competitor(plan)
    players = tuple(sorted(command.players))
    Faults.check(_faults_of_entry(command, size, regions, ids_of))
    for number, player in enumerate(command.players):
        for entered in state.players() & ids_of[player]:
            if not _left_alone(entered, players, state):
                raise AlreadyExists(f"players.{number}", "competitor", entered)
    _check_late(command, state, plan)
    _check_room(state, "players")
    id_ = competitor_of(players)
    known_regions = {regions[player] for player in players}
    region = known_regions.pop() if len(known_regions) == 1 else None
    return [e.CompetitorEntered(id_, players, region, command.fixed_table, command.replaces)]


def _faults_of_entry(
    command: c.EnterCompetitor, size: int, regions: Mapping[str, str | None], ids_of: Mapping[str, frozenset[str]]
) -> Iterator[Refusal]:
    """The faults of an entry by itself, whoever else has entered. `size`: how many players enter together."""
    missing = [(number, player) for number, player in enumerate(command.players) if player not in regions]
    if len(command.players) != size:
        wanted = say("a pair of two players enters") if size > 1 else say("each player enters alone")
        yield InvalidInput("players", wanted)
    elif size > 1 and not missing and command.players[1] in ids_of[command.players[0]]:
        yield InvalidInput("players", say("a pair has two players"))
    for number, player in missing:
        yield NotFound(f"players.{number}", "player", player)
    if command.fixed_table is not None and command.fixed_table < 1:
        yield InvalidInput("fixed_table", say("must be at least {least}", least=1))


def check_in(command: c.CheckIn, state: TournamentState) -> list[e.TournamentEvent]:
    """Check competitors in, and promise bytes of a device if the command has a commitment.

    At least one competitor must be new. Others may have checked in by themselves since the list was made; they get no
    second event. Raises NotFound, WrongState, InvalidInput, AlreadyCommitted, CommitmentUsed, Faults.
    """
    open_plan(state)
    listed = enumerate(command.competitors)
    Faults.check(Faults.found_by(*(partial(entry_of, state, id_, f"competitors.{at}") for at, id_ in listed)))
    arrived = [id_ for id_ in dict.fromkeys(command.competitors) if not state.entries[id_].checked_in]
    if not arrived:
        first = _competitor(command.competitors[0])
        raise AlreadyCheckedIn(first, say("checked in"), say("once is enough"), "competitors.0")
    promised = [] if command.commitment is None else [commit_seed(arrived[0], command.commitment, state)]
    return [*map(e.CompetitorCheckedIn, arrived), *promised]


def commit(command: c.CommitSeed, state: TournamentState) -> list[e.TournamentEvent]:
    """Promise bytes of a competitor's device to the next drawing.

    Raises NotFound, WrongState, InvalidInput, AlreadyCommitted, CommitmentUsed.
    """
    open_plan(state)
    return [commit_seed(entry_of(state, command.competitor).id, command.commitment, state)]


def withdraw(command: c.Withdraw, state: TournamentState) -> list[e.TournamentEvent]:
    """Take a competitor out of the rounds to come. Raises NotFound, WrongState."""
    open_plan(state)
    entry = entry_of(state, command.competitor)
    if command.reason is not None:
        check_readable("reason", command.reason, with_lines=True)
    if entry.withdrawn_at is not None:
        raise AlreadyWithdrawn(
            _competitor(entry.id), say("out of the tournament"), say("they can return"), "competitor"
        )
    return [e.CompetitorWithdrew(entry.id, command.reason)]


def return_(command: c.Return, state: TournamentState) -> list[e.TournamentEvent]:
    """Let a competitor who withdrew play again. Raises NotFound, WrongState."""
    open_plan(state)
    entry = entry_of(state, command.competitor)
    if entry.withdrawn_at is None:
        raise NotWithdrawn(_competitor(entry.id), say("taking part"), say("they have not withdrawn"), "competitor")
    successor = next((one.id for one in state.entries.values() if one.replaces == entry.id), None)
    if successor is not None:
        raise PlaceIsTaken(
            _competitor(entry.id),
            say("out of the tournament"),
            say("{competitor!r} plays in their place", competitor=successor),
            "competitor",
        )
    others = [one for one in state.entries.values() if one.withdrawn_at is None]
    if entered := sorted({player for one in others for player in one.players} & set(entry.players)):
        raise AlreadyExists("competitor", "competitor", entered[0], say("they play with somebody else now"))
    _check_room(state, "competitor")
    return [e.CompetitorReturned(entry.id)]


def request_bye(command: c.RequestBye, state: TournamentState) -> list[e.TournamentEvent]:
    """Ask for a bye of a round (rules, Tournaments, Results). Raises NotFound, WrongState, InvalidInput."""
    entry = _entry_before_drawing(command, state)
    if command.round in entry.requested_byes:
        raise ByeIsRequested(
            _competitor(entry.id), say("sitting out"), say("they have asked for a bye of this round already"), "round"
        )
    return [e.ByeRequested(entry.id, command.round)]


def take_back_bye(command: c.TakeBackBye, state: TournamentState) -> list[e.TournamentEvent]:
    """Take back the request for a bye of a round. Raises NotFound, WrongState, InvalidInput."""
    entry = _entry_before_drawing(command, state)
    if command.round not in entry.requested_byes:
        raise ByeNotRequested(
            _competitor(entry.id), say("taking part"), say("they have not asked for a bye of this round"), "round"
        )
    return [e.ByeTakenBack(entry.id, command.round)]


def _entry_before_drawing(command: c.RequestBye | c.TakeBackBye, state: TournamentState) -> CompetitorEntry:
    """The entry of a competitor who may ask for a bye of the round. Raises NotFound, WrongState, InvalidInput."""
    plan = open_plan(state)
    entry = entry_of(state, command.competitor)
    if plan.format not in WITH_REQUESTED_BYES:
        reason = say("the format says who meets, so nobody can ask for a bye; who cannot come withdraws")
        raise NoRequestedByes(named(state), say("without requested byes"), reason, "tournament")
    if entry.withdrawn_at is not None:
        raise AlreadyWithdrawn(
            _competitor(entry.id), say("out of the tournament"), say("they play no further round"), "competitor"
        )
    of = state.round(command.round)
    if of is not None and of.status != "withdrawn":
        kind = RoundIsDrawn if of.status == "drawn" else RoundIsPublished
        reason = say("a bye is asked for, or taken back, before the drawing")
        raise kind(say("round {round}", round=of.number), STATES[of.status], reason, "round")
    last = max(rounds_of(state), state.next_round)
    if not state.next_round <= command.round <= last:
        raise InvalidInput("round", say("must be from {least} to {most}", least=state.next_round, most=last))
    return entry


def _check_room(state: TournamentState, at: str) -> None:
    """Raise TournamentIsFull if nobody else can take part."""
    if sum(one.withdrawn_at is None for one in state.entries.values()) >= MOST_ENTRANTS:
        raise TournamentIsFull(named(state), say("without a free place"), TOO_MANY_ENTRANTS, at)


def end_tournament(state: TournamentState, results: Results, points: PointRules) -> list[e.TournamentEvent]:
    """End the tournament. Raises NotFound, WrongState."""
    open_plan(state)
    for of in state.rounds:
        if of.status == "published":
            raise RoundNotClosed(say("round {round}", round=of.number), say("in play"), say("close it first"))
    for of, table in state.tables():
        if table.best_of is not None and of != state.knockout[-1]:
            continue  # the next round was published, so its result changes nothing any more
        # Even in a closed round a match may be open again, or replaced by another one.
        if lacks_result(table, results, points):
            raise ResultsMissing(
                say("table {table} of round {round}", table=table.number, round=of.number),
                say("in play"),
                say("record its result, or void its match"),
            )
    return [e.TournamentEnded()]


# ---------------------------------------------------------------- checks that several deciders share


def check_tournament_id(id_: str) -> None:
    """Raise InvalidInput if no tournament can have this id."""
    check_id("tournament", id_)
    if len(id_) > LONGEST_ID:
        raise InvalidInput("tournament", say("has at most {most} characters", most=LONGEST_ID))


def faults_of_ruleset(plan: Plan, rulebook: Rulebook) -> Iterator[Refusal]:
    """The fault of a plan whose ruleset the rules do not have, or whose mode the ruleset does not have."""
    ruleset = rulebook.ruleset(plan.ruleset)
    if ruleset is None:
        yield NotFound("plan.ruleset", "ruleset", plan.ruleset, tuple(sorted(rulebook.rulesets)))
    elif plan.mode not in ruleset.modes:
        of = {"ruleset": say(ruleset.title), "modes": either(MODES[mode] for mode in ruleset.modes)}
        yield InvalidInput("plan.mode", say("{ruleset} is played {modes}, not {mode}", **of, mode=MODES[plan.mode]))


def known(state: TournamentState) -> Plan:
    """The plan of a tournament. Raises NotFound if it was never planned."""
    if state.plan is None:
        raise NotFound("tournament", "tournament", state.id)
    return state.plan


def open_plan(state: TournamentState) -> Plan:
    """The plan of a tournament that has not ended. Raises NotFound, and WrongState after the end."""
    plan = known(state)
    if state.ended:
        raise TournamentHasEnded(named(state), say("ended"), say("nothing of it changes any more"), "tournament")
    return plan


def entry_of(state: TournamentState, competitor: str, at: str = "competitor") -> CompetitorEntry:
    """The entry of a competitor. `at`: the field of the command that names it. Raises NotFound."""
    entry = state.entries.get(competitor)
    if entry is None:
        raise NotFound(at, "competitor", competitor)
    return entry


def named(state: TournamentState) -> Sentence:
    """The name of a tournament within a sentence."""
    return say("tournament {tournament!r}", tournament=state.id)


def _competitor(id_: str) -> Sentence:
    return say("competitor {competitor!r}", competitor=id_)


def _left_alone(player: str, players: tuple[str, ...], state: TournamentState) -> bool:
    """Whether every earlier entry of a player has withdrawn and was with other players than this one."""
    entries = [entry for entry in state.entries.values() if player in entry.players]
    return all(entry.withdrawn_at is not None and entry.players != players for entry in entries)


def _check_late(command: c.EnterCompetitor, state: TournamentState, plan: Plan) -> None:
    late = len(state.published)
    if late and late + 1 > plan.late_entries:
        raise EntriesAreClosed(
            named(state), say("running"), say("the plan lets nobody enter before round {round}", round=late + 1)
        )
    if command.replaces is None:
        return
    replaced = entry_of(state, command.replaces, "replaces")
    if replaced.withdrawn_at is None:
        raise StillTakesPart(_competitor(replaced.id), say("taking part"), say("withdraw them first"), "replaces")
    if any(entry.replaces == replaced.id for entry in state.entries.values()):
        raise AlreadyExists("replaces", "competitor", replaced.id, say("somebody plays in their place"))
