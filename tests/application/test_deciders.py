"""Every command is decided, and every event is stored under a name and folded: a new one that is incomplete fails."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

import pytest

from league.application.dispatch import HANDLERS
from league.domain import audit_trail, disputes, league, match, members, player, rulebook, series
from league.domain.deciders import Event
from league.eventlog.codec import NAMES, UNFOLDED, decode_body, name_of
from league.eventlog.kinds import KINDS
from league.nights.events import NightEvent
from league.photos.domain import photo
from league.review.events import ConsentEvent, ReviewRequested
from league.tables.application import table_commands
from league.tables.domain.commands_and_events import TableCommand, TableEvent
from league.tournaments.domain.events import TournamentEvent

GOLDEN = Path(__file__).parents[1] / "eventlog" / "golden"
MODULES = (league, player, rulebook, match, photo, members, disputes)
EVENTS: dict[str, Any] = {
    "league": league.LeagueEvent,
    "season": league.SeasonEvent,
    "player": player.PlayerEvent,
    "merges": player.MergeEvent,
    "rulebook": rulebook.RulebookEvent,
    "match": match.MatchEvent,
    "photo": photo.PhotoEvent,
    "members": members.MemberEvent,
}
"""The events of each stream. Events of disputes are on the streams of matches and folded with them."""
NOT_DISPATCHED = {rulebook.AdoptTimeline, match.ImportMatch}
"""Decided by a promotion and by an import."""


def types_in(union: Any) -> set[type]:
    """The types of a union; a type by itself is one."""
    return set(get_args(union)) if get_origin(union) in (Union, UnionType) else {union}


def structs_under(module: Any, heading: str) -> Iterator[type]:
    """The types that a decider defines under a heading of its file."""
    lines = Path(module.__file__).read_text(encoding="utf-8").split("\n")
    headings = [number for number, line in enumerate(lines, 1) if line.startswith("# -----")] + [sys.maxsize]
    begins = next(number for number in headings if lines[number - 1].endswith(f" {heading}"))
    ends = headings[headings.index(begins) + 1]
    for _, kind in inspect.getmembers(module, inspect.isclass):
        if kind.__module__ == module.__name__ and begins < inspect.getsourcelines(kind)[1] < ends:
            yield kind


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_commands_and_events_of_a_decider_are_complete(module: Any) -> None:
    """Each class in `commands` has a handler, each in `events` a stored name, except the types of their fields."""
    of_matches = {match.RecordedHand, match.OpeningPass, match.PaseCorrido, match.ClosingTile}
    parts = {*of_matches, photo.ReadTile, player.NewPlayer}
    assert set(structs_under(module, "commands")) - NOT_DISPATCHED - parts <= set(HANDLERS)
    assert set(structs_under(module, "events")) - parts <= set(NAMES.values())


def test_every_command_of_a_feature_has_a_handler() -> None:
    """`TableCommand` joins them; another one would be refused by its name."""
    assert types_in(TableCommand) == set(table_commands.COMMANDS.handlers) <= set(HANDLERS)


def test_every_event_has_one_stored_name() -> None:
    """At its newest version; `test_golden_events.py` asks for the golden file of each name."""
    assert len(NAMES) == len(set(NAMES.values())) == len(KINDS)


@pytest.mark.parametrize("stream", EVENTS)
def test_every_event_of_a_decider_is_folded(stream: str) -> None:
    """`evolve` returns a state for each: a `match` without a case for an event would return none."""
    events = [event for name in NAMES for event in golden_events(name) if type(event) in types_in(EVENTS[stream])]
    assert {type(event) for event in events} == types_in(EVENTS[stream])
    for event in events:
        assert after(stream, event) is not None, event


def test_what_no_decider_folds_is_named() -> None:
    """Entries of a series and administrative acts: folds skip them by name. Events of live tables are not even read.

    Events of tournaments are folded at once, into their rows, and requests for reviews and consents are rows. Events of
    nights are read where they are asked for.
    """
    unfolded = types_in(series.SeriesEvent) | types_in(audit_trail.Act)
    folded = set[type]().union(*map(types_in, EVENTS.values()))
    of_reviews = {ReviewRequested, *types_in(ConsentEvent)}
    of_features = types_in(TableEvent) | types_in(TournamentEvent) | types_in(NightEvent) | of_reviews
    assert set(NAMES.values()) == unfolded | folded | of_features
    assert {name_of(event) for kind in unfolded for event in golden_events(newest_name(kind))} <= set(UNFOLDED)


def newest_name(kind: type) -> str:
    return next(name for name, stored in NAMES.items() if stored is kind)


def golden_events(name: str) -> list[Event]:
    """The events of a golden file."""
    text = (GOLDEN / (name.replace("/", "-") + ".json")).read_bytes()
    return [decode_body(name, json.dumps(body).encode()) for body in json.loads(text)]


def after(stream: str, event: Any) -> Any:
    """The state after an event, on a state in which it can happen."""
    when = next(e for e in golden_events("season-opened/1") if isinstance(e, league.SeasonOpened)).start
    if stream == "match":
        opened, recorded = golden_events("match-opened/1")[0], golden_events("hand-recorded/1")[:2]
        state = match.evolve(match.MatchState(), opened, when, 1)
        closing = match.BonusRecorded(1, match.ClosingTile(recorded[0].closing))
        for number, hand in enumerate((recorded[0], closing, recorded[1]), 2):
            state = match.evolve(state, hand, when, number)
        state = match.evolve(state, closing, when, 5)
        return match.evolve(state, event, when, 6)
    if stream == "photo":
        uploaded, proposed = golden_events("photo-uploaded/1")[0], golden_events("photo-count-proposed/1")[0]
        return photo.evolve(photo.evolve(photo.evolve(photo.PhotoState(), uploaded), proposed), event)
    if stream == "season":
        return league.evolve_seasons({event.season: league.SeasonOpened(event.season, "", when, None)}, event)
    evolve, start = {
        "league": (league.evolve, league.LeagueState()),
        "player": (player.evolve, player.PlayerState()),
        "merges": (player.evolve_merges, player.Merges()),
        "rulebook": (rulebook.evolve, rulebook.RulebookState()),
        "members": (members.evolve, members.MemberState("kim")),
    }[stream]
    return evolve(start, event)
