"""Search over players, pairs, seasons and matches by what people type, the best match first.

Names are compared without accents and case, ids as they are. First come results whose id or whole name is the query,
then names that begin with it, then names in which a word begins with each word of the query, then names that have the
words inside other words. Erased players have no name, so only their id finds them.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from sqlalchemy import (
    CTE,
    ColumnElement,
    Double,
    Integer,
    Select,
    and_,
    case,
    cast,
    column,
    func,
    literal,
    or_,
    select,
    union_all,
)

from league.domain.seating import JOINT, competitor_of
from league.projections import tables as t
from league.projections.queries.pages import Order, Query

p, r, s, m, mp, a = (
    t.players.c, t.ratings.c, t.seasons.c, t.matches.c, t.match_players.c, t.player_aliases.c,
)  # fmt: skip
_read_as = func.coalesce(a.canonical_id, p.player_id)
"""The player it was merged into, for a merged id: both names find that player."""
_registered = t.players.outerjoin(t.player_aliases, a.player_id == p.player_id)

Kind = Literal["player", "team", "season", "match"]
KINDS: tuple[Kind, ...] = ("player", "team", "season", "match")
"""The kinds of results, in the order in which equally good ones are listed."""

LONGEST = 100
"""The most characters of a query."""
MOST_WORDS = 5
"""The most words of a query; further words are ignored."""
MOST_PLAYERS = 50
"""The most players for each word, in order of their ids, through whose matches the search looks."""
MOST_MATCHES = 1_000
"""The most matches whose id begins with the query, in order of their ids."""

IS_IT, BEGINS, WORDS_BEGIN, INSIDE = range(4)
"""How well a result fits the query, the best first."""

BEST_FIRST = Order((column("fit", Integer), column("kind", Integer), column("later", Double), column("id", t.Id)))


class SearchHit(NamedTuple):
    """A result of a search."""

    kind: int
    """An index of `KINDS`."""
    id: str


def words_of(query: str) -> list[str]:
    """The words of a query that count."""
    return re.findall(r"\w+", unicodedata.normalize("NFKC", query))[:MOST_WORDS]


def search(run: int, query: str, kinds: Sequence[Kind]) -> Query:
    """The results of a query: how well each fits, its kind, a time that puts later matches first, and its id."""
    query, words = query.strip(), words_of(query)
    named = [_named(word).cte(f"named_{number}") for number, word in enumerate(words)]
    parts = {
        "player": lambda: [_players(query, words)],
        "team": lambda: [_teams(run, query, named)],
        "season": lambda: [_seasons(query, words)],
        "match": lambda: _matches(run, query, named),
    }
    found = [part for kind in KINDS if kind in kinds and words for part in parts[kind]()]
    if not found:
        found = [_found(literal(IS_IT), "player", p.player_id).where(literal(False))]
    one = union_all(*(select(part.subquery()) for part in found)).subquery("found").c
    # One thing may be found in two ways.
    fit, later = func.min(one.fit).label("fit"), func.min(one.later).label("later")
    best = select(fit, one.kind, later, one.id).group_by(one.kind, one.id).subquery("best")
    return select(best)


def _players(query: str, words: Sequence[str]) -> Select[Any]:
    is_it = or_(p.player_id == query, p.folded_name == func.folded(query))
    fit = _fit(is_it, p.folded_name, query, words)
    found = _found(fit, "player", _read_as).select_from(_registered)
    return found.where(or_(p.player_id == query, _has(p.folded_name, words)))


def _seasons(query: str, words: Sequence[str]) -> Select[Any]:
    name = func.folded(s.name)
    fit = _fit(or_(s.season_id == query, name == func.folded(query)), name, query, words)
    return _found(fit, "season", s.season_id).where(or_(s.season_id == query, _has(name, words)))


def _teams(run: int, query: str, named: Sequence[CTE]) -> Select[Any]:
    """Pairs with a rated match that have this id, or in whose names a word begins with each word of the query."""
    partners = t.partners_of(r.id)
    is_it = r.id == competitor_of(query.split(JOINT))
    fits = and_(*(or_(*(partner.in_(select(one.c.player_id)) for partner in partners)) for one in named))
    team = (r.run == run, r.subject == "team", r.mode == "2v2")
    return _found(case((is_it, IS_IT), else_=WORDS_BEGIN), "team", r.id).where(*team, or_(is_it, fits))


def _matches(run: int, query: str, named: Sequence[CTE]) -> list[Select[Any]]:
    """Matches whose id begins with the query; for several words, also matches whose players they name."""
    later = -func.extract("epoch", m.began_at)
    is_it = case((m.match_id == query, IS_IT), else_=BEGINS)
    by_id = _found(is_it, "match", m.match_id, later).where(m.match_id.startswith(query, autoescape=True))
    parts = [by_id.where(m.run == run).order_by(m.match_id).limit(MOST_MATCHES)]
    if len(named) > 1:
        by_names = _found(literal(WORDS_BEGIN), "match", m.match_id, later)
        parts.append(by_names.where(m.run == run, m.match_id.in_(_between(named))))
    return parts


def _between(named: Sequence[CTE]) -> Select[Any]:
    """The ids of the matches in which each word names a player, and the words together name more than one."""
    players = [select(one.c.player_id).order_by(one.c.player_id).limit(MOST_PLAYERS) for one in named]
    anyone = union_all(*(select(one.subquery()) for one in players))
    each_word = (func.bool_or(mp.player_id.in_(one)) for one in players)
    theirs = select(mp.match_id).where(mp.player_id.in_(anyone)).group_by(mp.match_id)
    return theirs.having(func.count() > 1, *each_word)


def _found(fit: Any, kind: Kind, id_: ColumnElement[Any], later: Any = 0) -> Select[Any]:
    return select(
        fit.label("fit"),
        literal(KINDS.index(kind)).label("kind"),
        cast(later, Double).label("later"),
        id_.collate("C").label("id"),
    )


def _fit(is_it: ColumnElement[bool], name: Any, query: str, words: Sequence[str]) -> ColumnElement[int]:
    begin = and_(*(_begins_word(name, word) for word in words))
    begins = func.starts_with(name, func.folded(query))
    return case((is_it, IS_IT), (begins, BEGINS), (begin, WORDS_BEGIN), else_=INSIDE)


def _has(name: Any, words: Sequence[str]) -> ColumnElement[bool]:
    return and_(*(func.strpos(name, func.folded(word)) > 0 for word in words))


def _begins_word(name: Any, word: str) -> ColumnElement[bool]:
    spaced = literal(" ") + func.translate(name, "-.'\u2019", "    ")
    return func.strpos(spaced, literal(" ") + func.folded(word)) > 0


def _named(word: str) -> Select[Any]:
    """The ids of the players in whose name a word begins with `word`."""
    return select(_read_as.label("player_id")).select_from(_registered).where(_begins_word(p.folded_name, word))
