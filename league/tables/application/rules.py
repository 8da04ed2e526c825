"""What a live table forbids, and what it adds, in commands on the match that it plays."""

from functools import partial
from typing import Literal, Protocol

from league.application.decisions import Decided, Decision, Handler, Rule
from league.application.stream_states import StreamStates
from league.domain import match
from league.domain.deciders import Command
from league.domain.refusals import AlreadyExists
from league.tables.application.table_states import STREAM, table_state
from league.tables.domain.events import TableClosed
from league.tables.domain.refusals import TableInPlay


class _OnMatch(Protocol):
    @property
    def match(self) -> str: ...


def no_table(handle: Handler[match.OpenMatch]) -> Handler[match.OpenMatch]:
    """The opening of a match, which is refused where a table has its id: that plays it, or will when play begins."""

    def opening(command: match.OpenMatch, states: StreamStates) -> Decision:
        decision = handle(command, states)
        if states.has_kept_stream(STREAM + command.match):
            raise AlreadyExists("match", "match", command.match)
        return decision

    return opening


def by_hand(handle: Handler[_OnMatch]) -> Handler[_OnMatch]:
    """A change of a match by hand, which is refused while a live table plays the match."""

    def checked(command: _OnMatch, states: StreamStates) -> Decision:
        if _in_play(command.match, states):
            raise TableInPlay(command.match)
        return handle(command, states)

    return checked


def closing_table(reason: Literal["voided", "forfeited"], handle: Handler[_OnMatch]) -> Handler[_OnMatch]:
    """A command that ends a match from outside, and with it the live table that plays it."""

    def closing(command: _OnMatch, states: StreamStates) -> Decision:
        decision = handle(command, states)
        if _in_play(command.match, states):
            decision.append(Decided(f"{STREAM}{command.match}", [TableClosed(reason)]))
        return decision

    return closing


def _in_play(match_id: str, states: StreamStates) -> bool:
    """Whether a live table plays this match now. Of other matches no table is looked for."""
    return states.match(match_id).live and table_state(states, match_id).phase != "closed"


RULES: dict[type[Command], Rule] = {
    match.OpenMatch: no_table,
    match.RecordHand: by_hand,
    match.CorrectHand: by_hand,
    match.EndMatch: by_hand,
    match.RecordResult: by_hand,
    match.ReopenMatch: by_hand,
    match.ForfeitMatch: partial(closing_table, "forfeited"),
    match.VoidMatch: partial(closing_table, "voided"),
}
