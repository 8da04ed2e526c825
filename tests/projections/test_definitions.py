"""Every board and every badge is complete: a test names what an entry lacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import pytest
from databases import copy_of
from leagues import SMALL_LEAGUE, at, catch_up, league_at
from msgspec import structs
from sqlalchemy import select, text

from league.api.graphql.leaf_types import BoardKind
from league.domain.rulebook import to_document
from league.domain.rules import BadgeRules, BoardRules
from league.infra.database import engine
from league.projections import tables as t
from league.projections.boards.board import BoardDefinition, BoardKey, DisplayRules
from league.projections.boards.definitions import ADDED, BOARDS, AchievementBoard, boards_of, in_order, standings
from league.projections.folds.badges import BADGES, MONTH_BADGES, Appearance, BadgeDefinition, CountedBadge, measures_of
from league.projections.queries.badges import Appearances
from league.projections.writers.series_rows import HONOURS
from league.rulebook import shipped_edition

EDITION = shipped_edition(1)


def settings_in(document: Any, at: str = "") -> Iterator[str]:
    """The dotted keys of a document."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield from settings_in(value, f"{at}.{key}" if at else key)
    else:
        yield at


SETTINGS = set(settings_in(to_document(EDITION)))

# ---------------------------------------------------------------- boards


def missing_of_board(board: BoardDefinition) -> list[str]:
    """What an entry lacks."""
    found = [f.name for f in fields(board) if f.type in ("str", str) and not getattr(board, f.name)]
    found += [f"setting {key}" for key in board.clause.settings if key not in SETTINGS]
    found += [] if board.clause.section else ["section of the clause"]
    found += [] if board.description.endswith(".") else ["full stop of the description"]
    if isinstance(board, AchievementBoard):
        found += [f"column {name} of achievements" for name in board.counts if name not in t.achievements.c]
        found += [f"{name} in ADDED" for name in board.counts if name not in ADDED]
        known = structs.asdict(EDITION.boards)
        found += [] if board.per_from is None or board.per_from in known else [f"setting boards.{board.per_from}"]
        asks = board.per_from is None or f"boards.{board.per_from}" in board.clause.settings
        found += [] if asks else [f"boards.{board.per_from} in the clause"]
    return found


@pytest.mark.parametrize("board", BOARDS.values(), ids=list(BOARDS))
def test_every_board_is_complete(board: BoardDefinition) -> None:
    """Words, a source, settings that exist, columns that are kept, and a place in the API."""
    assert missing_of_board(board) == []
    assert BoardKind(board.kind)


def test_what_a_board_lacks_is_named() -> None:
    """Each of these entries is incomplete in one way."""
    made_up = BOARDS["capicuas"]
    assert missing_of_board(replace(made_up, title="")) == ["title"]
    assert missing_of_board(replace(made_up, description="Players")) == ["full stop of the description"]
    counted: dict[str, Any] = {"counted": "blocks"}
    assert missing_of_board(replace(made_up, **counted)) == ["column blocks of achievements", "blocks in ADDED"]
    per: dict[str, Any] = {"per": "hands_won", "per_from": "viajeras_from"}
    assert missing_of_board(replace(made_up, **per)) == [
        "setting boards.viajeras_from",
        "boards.viajeras_from in the clause",
    ]
    lacking: dict[str, Any] = {"kind": "x", "description": "X.", "clause": made_up.clause, "counted": "capicuas"}
    with pytest.raises(TypeError, match="'title' and 'unit'"):
        AchievementBoard(**lacking)


def test_kinds_and_titles_of_boards_are_their_own() -> None:
    """No two boards share one."""
    assert len({board.title for board in BOARDS.values()}) == len(BOARDS)
    assert len({board.description for board in BOARDS.values()}) == len(BOARDS)


def test_every_setting_of_the_boards_is_used() -> None:
    """Every setting is used by a board, or by all boards of ratings."""
    used = {board.per_from for board in BOARDS.values() if isinstance(board, AchievementBoard)}
    assert {field.name for field in structs.fields(BoardRules)} == {"active_days", *used} - {None}


@pytest.fixture(scope="module")
def league_url(embedded_server: str) -> Iterator[str]:
    with copy_of(embedded_server, SMALL_LEAGUE) as url, league_at(url) as league:
        catch_up(league)
        yield url


MONTH = "2026-03"


@pytest.mark.parametrize(
    "board", [board for definition in BOARDS.values() for board in boards_of(definition, [MONTH])], ids=str
)
def test_an_index_yields_every_board_in_its_order(league_url: str, board: BoardKey) -> None:
    """A page reads no more rows than it shows: without the index the whole board would be sorted."""
    pool = engine(league_url, pool_size=1)
    places = standings(1, board, DisplayRules(at(0), EDITION, "any"))
    page = select(places).order_by(*in_order(places)).limit(50)
    with pool.connect() as conn:
        for plan in ("seqscan", "bitmapscan", "sort"):
            conn.execute(text(f"SET enable_{plan} = off"))
        query = page.compile(conn, compile_kwargs={"literal_binds": True})
        steps = conn.execute(text(f"EXPLAIN {query}".replace(":", "\\:"))).scalars().all()
    pool.dispose()
    sorts = [step.strip() for step in steps if "Sort" in step]
    assert not sorts, f"the board {board.kind} has no index in its order: {sorts}"


# ---------------------------------------------------------------- badges


def missing_of_badge(badge: BadgeDefinition) -> list[str]:
    """What an entry lacks."""
    if badge.name not in structs.asdict(EDITION.badges):
        return [f"setting badges.{badge.name}"]
    found = [name for name in ("one", "many") if not getattr(badge, name)]
    of_edition = set(settings_in(to_document(EDITION.badges)))
    of_badge = {key for key in of_edition if key.partition(".")[0] == badge.name} or {badge.name}
    found += [f"words of the setting {key}" for key in sorted(of_badge - set(badge.settings))]
    found += [f"setting badges.{key}" for key in sorted(set(badge.settings) - of_badge)]
    found += [f"setting {key}" for key in badge.also_depends_on if key not in SETTINGS]
    for measure in badge.measures(EDITION.badges):
        for threshold in (1, 2):
            try:
                measure.in_words(threshold)
            except KeyError as unknown:
                found.append(f"number {unknown} of its words")
        if isinstance(badge, CountedBadge):
            nothing = Appearance(*(0 for _ in Appearance._fields))
            badge.added(nothing, measure.numbers)
            badge.added(Appearances(0), measure.numbers)
    return found


@pytest.mark.parametrize("badge", BADGES.values(), ids=list(BADGES))
def test_every_badge_is_complete(badge: BadgeDefinition) -> None:
    """Thresholds in the rules, words for it and for each of its settings, and a number to count."""
    assert missing_of_badge(badge) == []


def test_what_a_badge_lacks_is_named() -> None:
    """Each of these entries is incomplete in one way."""
    upset = BADGES["upset"]
    assert missing_of_badge(replace(upset, name="chuchazos")) == ["setting badges.chuchazos"]
    assert missing_of_badge(replace(upset, one="")) == ["one"]
    assert missing_of_badge(replace(upset, settings={"upset.gap": "higher by"})) == [
        "words of the setting upset.thresholds"
    ]
    assert missing_of_badge(replace(upset, many="{n} wins by {points}")) == ["number 'points' of its words"]
    assert missing_of_badge(replace(upset, also_depends_on=("rating.k.low",))) == ["setting rating.k.low"]


def test_every_setting_of_the_badges_has_an_entry() -> None:
    """Thresholds that no entry reads would earn nothing."""
    assert {field.name for field in structs.fields(BadgeRules)} - set(BADGES) == set()


def test_badges_in_words_are_their_own() -> None:
    """No two badges of edition 1 have the same words."""
    measures = list(measures_of(EDITION.badges))
    words = [measure.in_words(threshold) for measure in measures for threshold in measure.thresholds]
    assert len(set(words)) == len(words)


def test_every_badge_of_months_has_honours() -> None:
    """A query that finds them in the standings, or in the games."""
    assert {badge.name for badge in MONTH_BADGES} - set(HONOURS) == set()
