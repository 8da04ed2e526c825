"""Laws of the folds, over leagues in which anything happens in any order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from figures import figures
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leagues import (
    PLAYERS,
    adopt,
    announced,
    at,
    block,
    catch_up,
    caught_up_digest,
    digest,
    domino,
    everything,
    forget_projections,
    found,
    played,
    rebuild,
    send,
    shared_rows,
    start_anew,
)
from sqlalchemy import Engine

from league.application.bootstrap import League
from league.audit.shadow_rebuild import compare
from league.domain.hand import HandFacts
from league.domain.league import CloseMonth, CloseSeason, OpenSeason, ReopenMonth
from league.domain.match import (
    CorrectHand,
    EndMatch,
    ForfeitMatch,
    OpenMatch,
    RecordHand,
    RecordResult,
    ReopenMatch,
    VoidMatch,
)
from league.domain.player import MergePlayers, MovePlayer, RenamePlayer, UndoMerge
from league.domain.refusals import Refusal
from league.domain.result import AnnouncedResult
from league.domain.rules import Competition
from league.infra.database import connect, engine
from league.projections.projector import Projector
from league.projections.writers import league_rows

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

tried = settings(
    max_examples=4,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints and pages of the second fold come often, so that going back meets them."""
    monkeypatch.setattr(league_rows, "CHECKPOINT_EVERY", 2)
    monkeypatch.setattr(league_rows, "PAGE", 3)


@pytest.fixture
def readers(league_url: str) -> Iterator[Engine]:
    """One engine for all examples: it writes each statement only once."""
    pool = engine(league_url, pool_size=1)
    yield pool
    pool.dispose()


def begin_anew(league: League) -> None:
    start_anew(league.database.url)
    found(league)


# ---------------------------------------------------------------- anything, in any order

EDITIONS = (
    "rating.provisional_below = 2\nboards.active_days = 1",
    "rating.cap = false\nrating.k.provisional = 32",
    "rulesets.cuban-150.target = 100",
    "rating.start = 1600\nrating.overall.main_weight = 0.9",
)

matches = st.sampled_from(["m1", "m2", "m3", "m4", "m5", "m6"])
hours = st.integers(0, 60)
pips = st.integers(1, 100)
reasons = st.just("a mistake")
pairs = st.permutations(PLAYERS).map(lambda players: tuple(players[:2]))
fours = st.permutations(PLAYERS).map(lambda players: tuple(players[:4]))
competitions = st.sampled_from(["competitive", "competitive", "casual", "special"])


def facts_for(seats: int) -> st.SearchStrategy[Any]:
    """Hands of two or four seats: dominoes and blocks, with capicúas and what is not known."""

    def domino_of(seat: int, held: list[int], both: bool | None, blocks: bool | None) -> Any:
        return domino(seat, *(0 if s == seat else pips for s, pips in enumerate(held)), both=both, blocks=blocks)

    held = st.lists(st.one_of(pips, pips, pips, st.none()), min_size=seats, max_size=seats)
    known = st.lists(pips, min_size=seats, max_size=seats)
    fact = st.sampled_from([False, True, None])
    dominoes = st.builds(domino_of, st.integers(0, seats - 1), known, fact, fact)
    blocks = st.builds(lambda locker, held: block(locker, *held), st.sampled_from([0, 1, None]), held)
    return st.one_of(dominoes, dominoes, blocks)


facts = st.one_of(facts_for(2), facts_for(4))
"""For a match of any number of seats; one for the other number is refused."""


@st.composite
def match_commands(draw: st.DrawFn) -> list[Any]:
    """A match from its opening on, as far as it was recorded."""
    seats = draw(st.one_of(pairs, fours))
    match, start, competition = draw(matches), draw(hours), draw(competitions)
    if draw(st.integers(0, 5)) == 0:
        return announced(match, seats, start, draw(st.sampled_from([(150, 100), (0, 160)])), competition=competition)
    hands = draw(st.lists(facts_for(len(seats)), max_size=5))
    return played(match, seats, start, *hands, competition=competition)


individuals = st.builds(
    lambda match, seats, start, winner: [
        OpenMatch(match, "doscientos-100", "individuals", "competitive", seats[:3], None, at(start)),
        RecordResult(match, AnnouncedResult(winner), at(start + 1)),
    ],
    matches, fours, hours, st.integers(0, 2),
)  # fmt: skip

later = st.builds(lambda *parts: [parts], hours)
commands = st.one_of(
    match_commands(),
    match_commands(),
    match_commands(),
    individuals,
    st.builds(lambda m, f, h: [RecordHand(m, f, None, at(h))], matches, facts, hours),
    st.builds(lambda m, n, f, r: [CorrectHand(m, n, f, r)], matches, st.integers(1, 3), facts, reasons),
    st.builds(lambda m, n, f, r: [CorrectHand(m, n, f, r)], matches, st.integers(1, 3), facts, reasons),
    st.builds(lambda m, h: [EndMatch(m, None, at(h))], matches, hours),
    st.builds(lambda m, s, h: [ForfeitMatch(m, s, at(h))], matches, st.integers(0, 1), hours),
    st.builds(lambda m, r: [ReopenMatch(m, r)], matches, reasons),
    st.builds(lambda m, r: [VoidMatch(m, r)], matches, reasons),
    st.builds(lambda p, n: [RenamePlayer(p, n)], st.sampled_from(PLAYERS), st.sampled_from(["Zoe", "Yara"])),
    st.builds(lambda p, r: [MovePlayer(p, r)], st.sampled_from(PLAYERS), st.sampled_from(["Granma", None])),
    st.builds(lambda two: [MergePlayers(*two)], pairs),
    st.builds(lambda two: [MergePlayers(*two)], pairs),
    st.builds(lambda two: [UndoMerge(*two)], pairs),
    st.just([OpenSeason("s1", "Spring", at(0))]),
    st.builds(lambda h: [CloseSeason("s1", at(h + 1))], hours),
)
adoptions = st.tuples(st.sampled_from(EDITIONS), st.none() | hours, st.none() | hours)
happenings = st.one_of(commands, commands, commands, commands, adoptions, st.just("project"), st.just("restart"))
"""A list of commands; an edition adopted over hours; the projector catches up; the projector starts again."""
closing = [CloseMonth("2026-03")]
reopening = [ReopenMonth("2026-03")]


def happen(league: League, happening: Any) -> None:
    """Let it happen, as far as the league allows it."""
    if isinstance(happening, list):
        for command in happening:
            try:
                send(league, command)
            except Refusal:
                return
        return
    text, start, end = happening
    try:
        adopt(league, text, None if start is None else at(start), None if end is None else at(end))
    except Refusal:
        return


@tried
@given(
    happened=st.lists(st.one_of(*[happenings] * 9, st.just(closing), st.just(reopening)), min_size=6, max_size=30),
    page=st.sampled_from([1, 2, 3, 7]),
    other_page=st.sampled_from([1, 2, 7, 50, None]),
    rebuilt_by=st.sampled_from([2, None]),
)
def test_any_way_to_fold_the_log_gives_the_same_league(
    league: League, happened: list[Any], page: int, other_page: int | None, rebuilt_by: int | None
) -> None:
    """Projected as it happens, from the beginning by pages of any size, or rebuilt: the digest is the same.

    And so is all that people read, as `league verify` compares it.
    """
    begin_anew(league)
    url = league.database.url
    projector = Projector(url, league.store, page)
    try:
        for happening in happened:
            if happening == "project":
                projector.catch_up()
            elif happening == "restart":
                projector.close()
                projector = Projector(url, league.store, page)
            else:
                happen(league, happening)
        projector.catch_up()
    finally:
        projector.close()
    as_it_happened, shared = digest(url), shared_rows(url)
    assert compare(url, league.store, league.project).faults == []
    forget_projections(url)
    assert caught_up_digest(league, other_page) == as_it_happened
    assert shared_rows(url) == shared
    assert rebuild(league, rebuilt_by) == as_it_happened
    assert shared_rows(url) == shared


# ---------------------------------------------------------------- mistakes that were put right


NO_LOCK = "series.limit = 100"
"""Keeps a match from being refused because of one that no longer exists, or in an order-dependent way."""
RULES = f"{NO_LOCK}\nbadges.month_won = [1, 2]\nbadges.unbeaten_month = {{ games = 2, thresholds = [1] }}"
"""Under which one small month earns honours."""


class Written(NamedTuple):
    """A match as it was played, and the mistake with which it may have been written down."""

    seats: tuple[str, ...]
    start: int
    competition: Competition
    hands: list[HandFacts]
    ending: str
    wrong_hand: int | None
    wrong_facts: HandFacts
    ghost: bool
    """A match that was never played is written down too."""

    def commands(self, match: str) -> list[Any]:
        """What a flawless scorekeeper sends."""
        if self.ending == "announced":
            return announced(match, self.seats, self.start, (150, 90), competition=self.competition)
        endings = {
            "forfeited": ForfeitMatch(match, 0, at(self.start + 1)),
            "cut short": EndMatch(match, None, at(self.start + 1)),
        }
        sent = played(match, self.seats, self.start, *self.hands, competition=self.competition)
        return [*sent, endings[self.ending]] if self.ending in endings else sent


def progress(url: str) -> list[Any]:
    """What badges measure of every player: the current streak, and the best of each measure."""
    with connect(url) as conn:
        return conn.execute("SELECT player_id, streak, best FROM achievements ORDER BY player_id").fetchall()


@st.composite
def written(draw: st.DrawFn) -> Written:
    seats = draw(st.one_of(pairs, fours))
    hands = facts_for(len(seats))
    return Written(
        seats=seats,
        start=draw(hours),
        competition=draw(competitions),
        hands=draw(st.lists(hands, min_size=1, max_size=5)),
        ending=draw(st.sampled_from(["as played", "as played", "forfeited", "cut short", "announced"])),
        wrong_hand=draw(st.none() | st.integers(1, 4)),
        wrong_facts=draw(hands),
        ghost=draw(st.booleans()),
    )


def write_down(league: League, number: int, match: Written) -> list[list[Any]]:
    """Record a match with its mistakes; what puts them right."""
    name, to_do = f"m{number}", []
    happen(league, match.commands(name))
    if match.ghost:
        happen(league, match.commands(f"ghost-{number}"))
        to_do.append([VoidMatch(f"ghost-{number}", "never played")])
    if match.wrong_hand is not None and match.wrong_hand <= len(match.hands):
        hand = match.wrong_hand
        happen(league, [CorrectHand(name, hand, match.wrong_facts, "misread")])
        to_do.append([CorrectHand(name, hand, match.hands[hand - 1], "read again")])
    return to_do


@tried
@given(data=st.data())
def test_a_league_with_its_mistakes_put_right_never_knew_otherwise(
    league: League, readers: Engine, data: st.DataObject
) -> None:
    """Voided ghosts, corrected hands, late matches and a late adoption leave no trace in exports and statistics.

    Nor in the badges of a closed month, whenever it was closed; its list has none if it was closed in the end.
    """
    url = league.database.url
    season = data.draw(st.lists(written(), min_size=1, max_size=8))
    # Editions that end matches elsewhere would have refused other hands.
    edition = data.draw(st.none() | st.sampled_from([EDITIONS[0], EDITIONS[1], EDITIONS[3]]))
    start = data.draw(hours)
    closed_meanwhile, closed_at_last = data.draw(st.sampled_from([([], []), (closing, []), ([], closing)]))
    begin_anew(league)
    adopt(league, RULES)
    if edition is not None:
        adopt(league, f"{edition}\n{RULES}", at(start))
    for number, match in enumerate(season):
        happen(league, match.commands(f"m{number}"))
    happen(league, closed_meanwhile or closed_at_last)
    catch_up(league)
    flawless, flawless_figures = everything(url), figures(readers)
    flawless_progress, flawless_list = progress(url), shared_rows(url)["published_standings"]
    still_open = {row["match"] for row in flawless["matches"] if row["status"] == "open"}

    begin_anew(league)
    adopt(league, RULES)
    to_do = [closed_meanwhile]
    for number, match in data.draw(st.permutations(list(enumerate(season)))):
        to_do += write_down(league, number, match)
    with Projector(url, league.store, data.draw(st.sampled_from([2, 5, 1_000]))) as projector:
        projector.catch_up()
        for happening in data.draw(st.permutations(to_do)):
            happen(league, happening)
            if data.draw(st.booleans()):
                projector.catch_up()
        for name in still_open:
            # The wrong hand may have ended the match.
            happen(league, [ReopenMatch(name, "it goes on")])
        if edition is not None:
            adopt(league, f"{edition}\n{RULES}", at(start))
        happen(league, closed_at_last)
        projector.catch_up()
    assert everything(url) == flawless
    assert figures(readers) == flawless_figures
    assert progress(url) == flawless_progress
    if not closed_meanwhile:
        assert shared_rows(url)["published_standings"] == flawless_list
