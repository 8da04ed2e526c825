"""The read tables as SQLAlchemy sees them. The migrations create them; a test compares the two.

A table of runs has a partition for each run. Its columns are in the order in which writers fill them and in which the
digest reads them, so the order of columns and of tables is part of every digest: add new ones at the end.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Computed,
    DateTime,
    Double,
    Identity,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    func,
    literal,
)
from sqlalchemy import Text as _Text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from league.domain.seating import JOINT, PARTNERS

metadata = MetaData()

Text = _Text()
Id = _Text(collation="C")
"""Ids and names of rules are compared as bytes, whatever the server's locale."""
Time = DateTime(timezone=True)


def _needed(name: str, kind: Any) -> Column[Any]:
    return Column(name, kind, nullable=False)


def _of_run(name: str, digest_by: Sequence[str], *columns: Column[Any]) -> Table:
    """A table with a partition for each run. The digest reads its rows ordered by the columns `digest_by`."""
    return Table(
        name,
        metadata,
        Column("run", Integer, primary_key=any(column.primary_key for column in columns), nullable=False),
        *columns,
        info={"digest_by": digest_by},
    )


def _undigested(column: Column[Any]) -> Column[Any]:
    """A column that may differ between two otherwise equal runs."""
    column.info["digested"] = False
    return column


league = Table(
    "league",
    metadata,
    Column("singleton", Boolean, primary_key=True),
    _needed("name", Text),
    _needed("time_zone", Text),
    Column("confirmation", Boolean, nullable=False, server_default="false"),
)
players = Table(
    "players",
    metadata,
    Column("player_id", Id, primary_key=True),
    Column("name", Text),
    Column("region", Id, index=True),
    _needed("registered_at", Time),
    Column("folded_name", Text, Computed("folded(name)", persisted=True)),
)
player_aliases = Table(
    "player_aliases",
    metadata,
    Column("player_id", Id, primary_key=True),
    _needed("merged_into", Id),
    Column("canonical_id", Id, nullable=False, index=True),
)
seasons = Table(
    "seasons",
    metadata,
    Column("season_id", Id, primary_key=True),
    _needed("name", Text),
    _needed("starts_at", Time),
    Column("ends_at", Time),
)
editions = Table(
    "editions",
    metadata,
    Column("hash", Id, primary_key=True),
    Column("edition", Integer, unique=True),
    _needed("title", Text),
    _needed("document", LargeBinary),
)
match_facts = Table(
    "match_facts",
    metadata,
    Column("match_id", Id, primary_key=True),
    _needed("began_at", Time),
    _needed("changed_position", BigInteger),
    _needed("state", LargeBinary),
)
match_players = Table(
    "match_players",
    metadata,
    Column("player_id", Id, primary_key=True),
    Column("began_at", Time, primary_key=True),
    Column("match_id", Id, primary_key=True),
)
disputes = Table(
    "disputes",
    metadata,
    Column("match_id", Id, primary_key=True),
    Column("dispute", SmallInteger, primary_key=True),
    _needed("player_id", Id),
    _needed("reason", Text),
    _needed("opened_at", Time),
    Column("outcome", Text),
    Column("closed_at", Time),
    Column("answer", Text),
)
pending_matches = Table(
    "pending_matches",
    metadata,
    Column("match_id", Id, primary_key=True),
    _needed("due_at", Time),
)
play_metrics = Table(
    "play_metrics",
    metadata,
    Column("match_id", Id, primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("hand", SmallInteger, primary_key=True),
    _needed("player_id", Id),
    _needed("turns", SmallInteger),
    _needed("passes", SmallInteger),
    _needed("passes_caused", SmallInteger),
    _needed("timed", SmallInteger),
    _needed("milliseconds", BigInteger),
    Column("led", ARRAY(SmallInteger)),
    Column("closed_by", Id),
    Column("pips", SmallInteger),
)
play_progress = Table(
    "play_progress",
    metadata,
    Column("singleton", Boolean, primary_key=True),
    _needed("position", BigInteger),
    _needed("code", Text),
)
runs = Table(
    "runs",
    metadata,
    Column("run", Integer, primary_key=True),
    _needed("timeline", JSONB),
    _needed("code", Text),
    _needed("position", BigInteger),
    Column("latest_decided_at", Time),
    _needed("ready", Boolean),
    _needed("created_at", Time),
    Column("shown_edition", Id),
    Column("base", JSONB),
)
official_run = Table(
    "official_run",
    metadata,
    Column("singleton", Boolean, primary_key=True),
    _needed("run", Integer),
    Column("previous", Integer),
    Column("journaled", Integer),
    Column("adopted", BigInteger),
)
generation = Table(
    "generation",
    metadata,
    Column("singleton", Boolean, primary_key=True),
    _needed("number", BigInteger),
)
journal = Table(
    "journal",
    metadata,
    Column("entry", BigInteger, Identity(), primary_key=True),
    _needed("position", BigInteger),
    _needed("cause", Id),
    _needed("subject", Id),
    _needed("id", Id),
    _needed("mode", Id),
    Column("match_id", Id),
    _needed("before", Double()),
    Column("after", Double()),
)
matches = _of_run(
    "matches",
    ("match_id",),
    Column("match_id", Id, primary_key=True),
    _needed("ruleset", Id),
    _needed("mode", Id),
    _needed("competition", Id),
    _needed("began_at", Time),
    Column("decided_at", Time),
    _needed("seats", ARRAY(Text)),
    _needed("status", Text),
    Column("winner", SmallInteger),
    Column("score", ARRAY(Integer)),
    Column("last_hand", SmallInteger),
    Column("announced", JSONB),
    _needed("terms", JSONB),
    _needed("not_judged", ARRAY(Text)),
    _undigested(_needed("edition", Id)),
    Column("position", BigInteger),
    _undigested(Column("decided", LargeBinary)),
)
hands = _of_run(
    "hands",
    ("match_id", "hand"),
    Column("match_id", Id, primary_key=True),
    Column("hand", SmallInteger, primary_key=True),
    _needed("ruleset", Id),
    Column("winner", SmallInteger),
    Column("winning_seat", SmallInteger),
    _needed("ended_by", Text),
    _needed("points", ARRAY(Integer)),
    _needed("terms", JSONB),
    _needed("not_judged", ARRAY(Text)),
    _needed("counted", Boolean),
    _needed("position", BigInteger),
    # The digest reads these two only where the sheet states a winner.
    _undigested(Column("winner_by", Text)),
    _undigested(Column("stated_winner", SmallInteger)),
)
appearances = _of_run(
    "appearances",
    ("match_id", "player_id"),
    Column("match_id", Id, primary_key=True),
    Column("player_id", Id, primary_key=True),
    _needed("began_at", Time),
    Column("decided_at", Time, primary_key=True),
    _needed("mode", Id),
    _needed("competition", Id),
    _needed("ruleset", Id),
    _needed("side", SmallInteger),
    _needed("won", Boolean),
    Column("own_score", Integer),
    Column("other_score", Integer),
    _needed("hands_won", SmallInteger),
    _needed("hands_won_by_block", SmallInteger),
    _needed("capicuas", SmallInteger),
    _needed("viajeras", SmallInteger),
    _needed("blocks", SmallInteger),
    _needed("pollona", Boolean),
    _needed("pollona_suffered", Boolean),
    _needed("trailed_by", Integer),
    Column("partner", Id),
    _needed("opponents", ARRAY(Text)),
)
changes = _of_run(
    "changes",
    ("subject", "id", "decided_at", "match_id"),
    Column("decided_at", Time, primary_key=True),
    Column("match_id", Id, primary_key=True),
    _needed("mode", Id),
    Column("subject", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    _needed("before", Double()),
    _needed("after", Double()),
    _needed("k", Double()),
    _needed("k_rule", Text),
    _needed("outcome", Double()),
    _needed("expected", Double()),
    _needed("modifier", Double()),
    _needed("modifier_terms", JSONB),
    _needed("capped", Boolean),
    _needed("opponents", Double()),
    _needed("own", Double()),
    _needed("matches_before", Integer),
    _needed("edition", Id),
    _needed("position", BigInteger),
)
ratings = _of_run(
    "ratings",
    ("subject", "id", "mode"),
    Column("subject", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    Column("mode", Id, primary_key=True),
    _needed("rating", Double()),
    _needed("matches", Integer),
    _needed("provisional", Boolean),
    _needed("last_decided_at", Time),
)
achievements = _of_run(
    "achievements",
    ("player_id",),
    Column("player_id", Id, primary_key=True),
    _needed("matches", Integer),
    _needed("hands_won", Integer),
    _needed("capicuas", Integer),
    _needed("viajeras", Integer),
    _needed("pollonas", Integer),
    _needed("streak", Integer),
    _needed("best", JSONB),
)
badges = _of_run(
    "badges",
    ("player_id", "badge"),
    Column("player_id", Id, primary_key=True),
    Column("badge", Id, primary_key=True),
    _needed("measure", Id),
    _needed("threshold", Integer),
    _needed("earned_at", Time),
    Column("match_id", Id),
    _needed("position", BigInteger),
)
series_games = _of_run(
    "series_games",
    ("match_id",),
    Column("match_id", Id, primary_key=True),
    Column("mode", Id, primary_key=True),
    Column("month", Id, primary_key=True),
    Column("a", Id, primary_key=True),
    Column("b", Id, primary_key=True),
    Column("decided_at", Time, primary_key=True),
    _needed("a_won", Boolean),
    Column("counts_zero", Id),
    _needed("edition", Id),
)
series_pairs = _of_run(
    "series_pairs",
    ("mode", "month", "a", "b"),
    Column("mode", Id, primary_key=True),
    Column("month", Id, primary_key=True),
    Column("a", Id, primary_key=True),
    Column("b", Id, primary_key=True),
    _needed("entered_at", Time),
    _needed("entered_match", Id),
    _needed("start", Integer),
    _needed("a_wins", Integer),
    _needed("b_wins", Integer),
    _needed("ignored", Integer),
    _needed("a_series_points", Integer),
    _needed("a_game_points", Integer),
    _needed("locked", Boolean),
    _needed("stake", Integer),
)
standings = _of_run(
    "standings",
    ("mode", "month", "id"),
    Column("mode", Id, primary_key=True),
    Column("month", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    _needed("wins", Integer),
    _needed("losses", Integer),
    _needed("series_points", Integer),
    _needed("total", Integer),
)
honours = _of_run(
    "honours",
    ("player_id", "measure", "month", "mode"),
    _needed("player_id", Id),
    _needed("measure", Id),
    _needed("month", Id),
    Column("mode", Id),
)
checkpoints = _of_run(
    "checkpoints",
    (),
    _undigested(Column("decided_at", Time, primary_key=True)),
    _undigested(Column("match_id", Id, primary_key=True)),
    _undigested(_needed("state", LargeBinary)),
)
closed_months = Table(
    "closed_months",
    metadata,
    Column("month", Id, primary_key=True),
    _needed("ends_at", Time),
    _needed("closed_at", Time),
    _needed("position", BigInteger),
)
published_standings = Table(
    "published_standings",
    metadata,
    Column("month", Id, primary_key=True),
    Column("mode", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    _needed("rank", Integer),
    _needed("wins", Integer),
    _needed("losses", Integer),
    _needed("series_points", Integer),
    _needed("total", Integer),
)
replays = Table(
    "replays",
    metadata,
    Column("replay", Integer, primary_key=True),
    Column("candidate", LargeBinary),
    Column("starts_at", Time),
    Column("ends_at", Time),
    _needed("requested_by", Text),
    _needed("requested_at", Time),
    Column("run", Integer),
    Column("failure", Text),
    _needed("attempts", SmallInteger),
    _needed("done", Integer),
    _needed("total", Integer),
    Column("known_at", Time),
    Column("cancelled_at", Time),
    _needed("unfinished", Boolean),
)

OF_RUNS = tuple(table for table in metadata.tables.values() if "digest_by" in table.info)
"""The tables with a partition per run, in the order in which the digest reads them."""


def written_columns(table: Table) -> list[str]:
    """The columns that writers fill, in this order; the database computes the others."""
    return [column.name for column in table.columns if column.computed is None and column.identity is None]


def digested_columns(table: Table) -> list[str]:
    """The columns of a table of runs that the digest reads, in this order; empty for a table outside of it."""
    return [column.name for column in table.columns if column.name != "run" and column.info.get("digested", True)]


def players_of(competitor: ColumnElement[Any]) -> ColumnElement[Any]:
    """The ids of the competitor's players as an array: one player, or a pair's two players in order."""
    return func.string_to_array(competitor, JOINT)


def partners_of(pair: ColumnElement[Any]) -> tuple[ColumnElement[str], ...]:
    """The ids of a pair's two players in order."""
    return tuple(func.split_part(pair, JOINT, number) for number in range(1, PARTNERS + 1))


def includes(competitor: ColumnElement[Any], player: str) -> ColumnElement[bool]:
    """Whether the competitor is this player, or a pair that includes this player."""
    return literal(player) == func.any(players_of(competitor))


def pair_of(one: ColumnElement[str], other: ColumnElement[str]) -> ColumnElement[str]:
    """The id of the pair of two players."""
    return func.concat(func.least(one, other), JOINT, func.greatest(one, other)).collate("C")
