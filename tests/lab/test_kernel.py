"""The kernel rates as the fold does, to the last bit, over any matches and under any rules."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leagues import shipped_edition
from msgspec.structs import replace
from rating_rules import achieved, ratings

from league.domain.result import Achievements, Status
from league.domain.timeline import EditionSpan
from league.lab.columns import MatchColumns
from league.lab.kernel import NOBODY, NOT_RATED, PLACES, delete_older_code
from league.lab.trial import rated
from league.projections.folds.league_fold import RatingState, evolve, key_of
from league.projections.folds.match_fold import DecidedMatch, HashedEdition, RulesTimeline

START = datetime(2026, 1, 1, tzinfo=UTC)
PLAYERS = [f"p{number}" for number in range(6)]
SEATED = {"1v1": 2, "2v2": 4, "individuals": 3}
starts = st.decimals(800, 3000, places=1)


@st.composite
def decided(draw: st.DrawFn, number: int) -> DecidedMatch:
    """A match of any mode, after those of lower numbers."""
    mode: Any = draw(st.sampled_from([*SEATED]))
    players = draw(st.permutations(PLAYERS))[: SEATED[mode]]
    sides = tuple((player,) for player in players) if mode != "2v2" else (tuple(players[:2]), tuple(players[2:]))
    at = START + timedelta(hours=number)
    return DecidedMatch(
        match=f"m{number}",
        ruleset=draw(st.sampled_from(["cuban-150", "doscientos-200", "another"])),
        mode=mode,
        competition=draw(st.sampled_from(["competitive", "casual", "special"])),
        began_at=at - timedelta(hours=draw(st.integers(0, 5))),
        decided_at=at,
        sides=sides,
        winner=draw(st.integers(0, 1)),
        difference=draw(st.none() | st.integers(0, 400)),
        status=draw(st.sampled_from(["completed", "forfeited"])),
        achievements=draw(achieved),
        edition="",
        position=number,
    )


@st.composite
def leagues(draw: st.DrawFn) -> list[DecidedMatch]:
    return [draw(decided(number)) for number in range(draw(st.integers(0, 25)))]


@st.composite
def timelines(draw: st.DrawFn) -> RulesTimeline:
    """One to three editions, one after the other."""
    edition = shipped_edition(1)
    rules = [replace(draw(ratings()), start=draw(starts)) for _ in range(draw(st.integers(1, 3)))]
    editions = {
        number: HashedEdition(f"e{number}", replace(edition, rating=rating)) for number, rating in enumerate(rules, 1)
    }
    spans = [EditionSpan(None if number == 1 else START + timedelta(hours=5 * number), number) for number in editions]
    return RulesTimeline(tuple(spans), editions)


@pytest.mark.heavy
@given(leagues(), timelines())
def test_every_rating_has_the_bits_of_the_fold(league: list[DecidedMatch], rules: RulesTimeline) -> None:
    """The kernel gives the same bits as the fold: ratings, the parts of each change, and forecasts."""
    columns = MatchColumns()
    for match in league:
        columns.add(match)
    found = rated(columns, rules)
    state = RatingState()
    for row, match in enumerate(league):
        edition = rules.at(match.began_at)
        changes = evolve(state, replace(match, edition=edition.hash), edition.formula)
        places = [place for place in range(PLACES * row, PLACES * (row + 1)) if columns.seats[place] != NOBODY]
        assert [columns.subjects[columns.seats[place]][:2] for place in places] == [
            (change.subject, change.id) for change in changes
        ]
        assert [(found.before[p].hex(), found.after[p].hex(), found.played_before[p]) for p in places] == [
            (change.before.hex(), change.after.hex(), change.matches_before) for change in changes
        ]
        expected = [change.expected for change in changes if change.outcome == 1.0 and change.subject == "player"]
        forecast = sum(expected) / len(expected) if expected else NOT_RATED
        assert found.forecasts[row].hex() == forecast.hex()
    assert {
        key_of((kind, id_, mode)): (rating.hex(), played)
        for (kind, id_, mode), rating, played in zip(columns.subjects, found.ratings, found.played, strict=True)
    } == {key: (standing.rating.hex(), standing.matches) for key, standing in state.standings.items()}


def test_a_forfeit_has_no_term_for_the_gap_between_the_sides() -> None:
    """Ana forfeits a match while 108 rating points ahead: both ratings move by the result alone."""

    def match(number: int, winner: int, difference: int | None, status: Status, done: Achievements) -> DecidedMatch:
        at = START + timedelta(hours=number)
        sides = (("ana",), ("bea",))
        return DecidedMatch(
            f"m{number}",
            "cuban-150",
            "1v1",
            "competitive",
            at,
            at,
            sides,
            winner,
            difference,
            status,
            done,
            "e",
            number,
        )

    columns = MatchColumns()
    columns.add(match(1, 0, 150, "announced", Achievements(pollona=True)))
    columns.add(match(2, 1, None, "forfeited", Achievements()))
    edition = HashedEdition("e", shipped_edition(1))
    found = rated(columns, RulesTimeline((EditionSpan(None, 1),), {1: edition}))
    assert [round(rating, 3) for rating in found.ratings] == [1531.976, 1476.024]


def test_compiled_code_that_is_older_than_the_sources_is_deleted(tmp_path: Path) -> None:
    """An upgrade leaves the index of numba's cache behind; newer code stays."""
    cache = tmp_path / "__pycache__"
    cache.mkdir()
    for path, changed in ((tmp_path / "kernel.py", 100), (cache / "old.nbi", 99), (cache / "new.nbi", 101)):
        path.touch()
        os.utime(path, (changed, changed))
    delete_older_code(tmp_path)
    assert [path.name for path in cache.iterdir()] == ["new.nbi"]
