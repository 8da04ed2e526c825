"""A replay that changes ratings alone copies what was scored: its run is the one that a full replay makes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from databases import Template, copy_of
from leagues import (
    SMALL_LEAGUE,
    announced,
    at,
    catch_up,
    digest,
    import_cuban,
    league_at,
    official,
    part_of_season,
    rebuild,
    revised,
    send,
)

from league.application.bootstrap import League
from league.domain.league import CloseMonth
from league.domain.match import VoidMatch
from league.domain.player import MergePlayers
from league.domain.rules import Rulebook
from league.infra.database import connect
from league.projections.folds.match_fold import RulesTimeline
from league.projections.replays import replay as replays
from league.projections.replays.replay import ReplayPeriod, replay
from league.projections.replays.replay import catch_up as catch_up_run

RATINGS = (
    "rating.k.standard = 7",
    "rating.start = 1234\nrating.scale = 250\nrating.provisional_below = 1",
    'rating.expected = "own_vs_side_average"\nrating.cap = false',
    "rating.overall.main_weight = 0.9\nrating.modifier.pollona.value = 0.7",
)
OTHERS = ("rulesets.cuban-150.target = 100", "series.pool = 40", "boards.active_days = 9")
MATCHES = 80
NUMBERS = count(100)


def fill(url: str) -> None:
    """A part of a season, matches beside it, a closed month, a void and a merge."""
    with league_at(url) as league, TemporaryDirectory() as folder:
        import_cuban(league, part_of_season(Path(folder), MATCHES))
        send(league, *(command for number in range(4) for command in announced(f"l{number}", ("ana", "bea"), number)))
        send(league, VoidMatch("l3", "a mistake"), MergePlayers("cira", "dora"), CloseMonth("2026-03"))
        catch_up(league)


SEASON = Template("rated_anew", fill, SMALL_LEAGUE)


@pytest.fixture
def season(postgres: str) -> Iterator[League]:
    with copy_of(postgres, SEASON) as url, league_at(url) as league:
        yield league


def scored_again(url: str, text: str, period: ReplayPeriod = ReplayPeriod()) -> int:  # noqa: B008  # frozen
    """The run of a replay that scores every hand again."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(replays, "changes_ratings_alone", lambda *_: False)
        return replay(url, revised(text), period, number=next(NUMBERS))


@pytest.mark.heavy
@pytest.mark.parametrize("text", RATINGS)
def test_what_was_scored_is_copied(season: League, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scored matches are copied, for all matches or for a period; the runs stay equal after both follow corrections."""
    url = season.database.url
    pairs = []
    for period in (ReplayPeriod(), ReplayPeriod(at(2), at(4))):
        full = scored_again(url, text, period)
        with monkeypatch.context() as patched:
            patched.setattr(replays, "_score_and_rate", None)
            quick = replay(url, revised(text), period, number=next(NUMBERS))
        assert digest(url, quick) == digest(url, full) != digest(url, official(url))
        pairs.append((quick, full))
    send(season, VoidMatch("l1", "a mistake"), *announced("l9", ("ana", "eva"), 3))
    catch_up(season)
    for quick, full in pairs:
        catch_up_run(url, quick)
        catch_up_run(url, full)
        assert digest(url, quick) == digest(url, full)


@pytest.mark.parametrize("text", OTHERS)
def test_other_rules_are_scored_again(season: League, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a section other than the ratings changes, nothing is copied."""
    monkeypatch.setattr(replays, "rate_anew", None)
    replay(season.database.url, revised(text), ReplayPeriod())


def test_what_an_older_program_has_scored_is_not_copied(season: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of an older version of the folds are not copied: they may differ."""
    with connect(season.database.url) as conn:
        conn.execute("UPDATE runs SET code = 'of yesterday'")
    monkeypatch.setattr(replays, "rate_anew", None)
    replay(season.database.url, revised(RATINGS[0]), ReplayPeriod())


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_a_run_that_a_rebuild_has_replaced_is_not_copied(season: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables of a replaced run are gone, so everything is scored again."""
    revise, url = replays.revised, season.database.url

    def when_it_is_replaced(rules: RulesTimeline, candidate: Rulebook | None, period: ReplayPeriod) -> RulesTimeline:
        rebuild(season)
        return revise(rules, candidate, period)

    with monkeypatch.context() as patched:
        patched.setattr(replays, "revised", when_it_is_replaced)
        run = replay(url, revised(RATINGS[0]), ReplayPeriod())
    assert digest(url, run) == digest(url, scored_again(url, RATINGS[0]))
