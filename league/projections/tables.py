"""The read tables as SQLAlchemy sees them. The migrations create them; a test compares the two.

A table of runs has a partition for each run. Its columns are in the order in which writers fill them and in which the
digest reads them, so the order of columns and of tables is part of every digest: add new ones at the end.
"""

from collections.abc import Sequence
from itertools import chain
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
    literal_column,
)
from sqlalchemy import Text as _Text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from league.domain.seating import JOINT, PARTNERS

metadata = MetaData()

Text = _Text()
Id = _Text(collation="C")
"""Ids and names of rules are compared as bytes, whatever the server's locale."""
Time = DateTime(timezone=True)


Columns = list[Column[Any]]


def _keys(kind: Any, *names: str) -> Columns:
    """Columns of the primary key."""
    return [Column(name, kind, primary_key=True) for name in names]


def _needed(kind: Any, *names: str) -> Columns:
    return [Column(name, kind, nullable=False) for name in names]


def _optional(kind: Any, *names: str) -> Columns:
    return [Column(name, kind) for name in names]


def _undigested(columns: Columns) -> Columns:
    """Columns that may differ between two otherwise equal runs."""
    for column in columns:
        column.info["digested"] = False
    return columns


def _table(name: str, *columns: Columns) -> Table:
    return Table(name, metadata, *chain(*columns))


def _of_run(name: str, digest_by: Sequence[str], *columns: Columns) -> Table:
    """A table with a partition for each run. The digest reads its rows ordered by the columns `digest_by`."""
    has_key = any(column.primary_key for column in chain(*columns))
    run = Column("run", Integer, primary_key=has_key, nullable=False)
    return Table(name, metadata, run, *chain(*columns), info={"digest_by": digest_by})


league = _table(
    "league",
    _keys(Boolean, "singleton"),
    _needed(Text, "name", "time_zone"),
    [Column("confirmation", Boolean, nullable=False, server_default="false")],
    _optional(Text, "colour", "second_colour", "logo"),
)
players = _table(
    "players",
    _keys(Id, "player_id"),
    _optional(Text, "name"),
    [Column("region", Id, index=True)],
    _needed(Time, "registered_at"),
    [Column("folded_name", Text, Computed("folded(name)", persisted=True))],
)
player_aliases = _table(
    "player_aliases",
    _keys(Id, "player_id"),
    _needed(Id, "merged_into"),
    [Column("canonical_id", Id, nullable=False, index=True)],
)
seasons = _table(
    "seasons",
    _keys(Id, "season_id"),
    _needed(Text, "name"),
    _needed(Time, "starts_at"),
    _optional(Time, "ends_at"),
)
editions = _table(
    "editions",
    _keys(Id, "hash"),
    [Column("edition", Integer, unique=True)],
    _needed(Text, "title"),
    _needed(LargeBinary, "document"),
)
match_facts = _table(
    "match_facts",
    _keys(Id, "match_id"),
    _needed(Time, "began_at"),
    _needed(BigInteger, "changed_position"),
    _needed(LargeBinary, "state"),
)
match_players = _table("match_players", _keys(Id, "player_id"), _keys(Time, "began_at"), _keys(Id, "match_id"))
disputes = _table(
    "disputes",
    _keys(Id, "match_id"),
    _keys(SmallInteger, "dispute"),
    _needed(Id, "player_id"),
    _needed(Text, "reason"),
    _needed(Time, "opened_at"),
    _optional(Text, "outcome"),
    _optional(Time, "closed_at"),
    _optional(Text, "answer"),
)
pending_matches = _table("pending_matches", _keys(Id, "match_id"), _needed(Time, "due_at"))
play_metrics = _table(
    "play_metrics",
    _keys(Id, "match_id"),
    _keys(SmallInteger, "seat", "hand"),
    _needed(Id, "player_id"),
    _needed(SmallInteger, "turns", "passes", "passes_caused", "timed"),
    _needed(BigInteger, "milliseconds"),
    _optional(ARRAY(SmallInteger), "led"),
    _optional(Id, "closed_by"),
    _optional(SmallInteger, "pips"),
)
play_progress = _table(
    "play_progress",
    _keys(Boolean, "singleton"),
    _needed(BigInteger, "position"),
    _needed(Text, "code"),
)
runs = _table(
    "runs",
    _keys(Integer, "run"),
    _needed(JSONB, "timeline"),
    _needed(Text, "code"),
    _needed(BigInteger, "position"),
    _optional(Time, "latest_decided_at"),
    _needed(Boolean, "ready"),
    _needed(Time, "created_at"),
    _optional(Id, "shown_edition"),
    _optional(JSONB, "base"),
)
official_run = _table(
    "official_run",
    _keys(Boolean, "singleton"),
    _needed(Integer, "run"),
    _optional(Integer, "previous", "journaled"),
    _optional(BigInteger, "adopted"),
)
generation = _table("generation", _keys(Boolean, "singleton"), _needed(BigInteger, "number"))
journal = _table(
    "journal",
    [Column("entry", BigInteger, Identity(), primary_key=True)],
    _needed(BigInteger, "position"),
    _needed(Id, "cause", "subject", "id", "mode"),
    _optional(Id, "match_id"),
    _needed(Double(), "before"),
    _optional(Double(), "after"),
)
adoptions = _table(
    "adoptions",
    _keys(BigInteger, "position"),
    _needed(Time, "adopted_at"),
    _needed(JSONB, "timeline"),
)
promotions = _table(
    "promotions",
    _keys(BigInteger, "folded_to"),
    [Column("position", BigInteger, nullable=False, unique=True)],
    _needed(Integer, "players_moved", "teams_moved"),
    _needed(Double(), "largest_move", "median_move", "mean_move"),
    _optional(Double(), "mean_before", "mean_after"),
    _needed(Integer, "matches_changed", "hands_changed", "standings_changed", "encounters_changed"),
    _needed(Integer, "badges_gained", "badges_lost", "badges_earned_otherwise"),
)
promotion_moves = _table(
    "promotion_moves",
    _keys(BigInteger, "folded_to"),
    _keys(Id, "subject", "id", "mode"),
    _optional(Double(), "before", "after"),
    _optional(Integer, "rank_before", "rank_after", "matches_before", "matches_after"),
    _optional(Double(), "start_before", "start_after", "outcome_before", "outcome_after"),
    _optional(Double(), "expected_before", "expected_after", "modifier_before", "modifier_after"),
)
notices = _table(
    "notices",
    [Column("notice", BigInteger, Identity(), primary_key=True)],
    _needed(Id, "kind"),
    [Column("position", BigInteger, nullable=False, unique=True)],
    _needed(Time, "since", "until"),
    _needed(JSONB, "body"),
)
notice_players = _table(
    "notice_players",
    _keys(BigInteger, "notice"),
    _keys(Id, "player_id"),
    _needed(JSONB, "moves"),
)
matches = _of_run(
    "matches",
    ("match_id",),
    _keys(Id, "match_id"),
    _needed(Id, "ruleset", "mode", "competition"),
    _needed(Time, "began_at"),
    _optional(Time, "decided_at"),
    _needed(ARRAY(Text), "seats"),
    _needed(Text, "status"),
    _optional(SmallInteger, "winner"),
    _optional(ARRAY(Integer), "score"),
    _optional(SmallInteger, "last_hand"),
    _optional(JSONB, "announced"),
    _needed(JSONB, "terms"),
    _needed(ARRAY(Text), "not_judged"),
    _undigested(_needed(Id, "edition")),
    _optional(BigInteger, "position"),
    _undigested(_optional(LargeBinary, "decided")),
)
hands = _of_run(
    "hands",
    ("match_id", "hand"),
    _keys(Id, "match_id"),
    _keys(SmallInteger, "hand"),
    _needed(Id, "ruleset"),
    _optional(SmallInteger, "winner", "winning_seat"),
    _needed(Text, "ended_by"),
    _needed(ARRAY(Integer), "points"),
    _needed(JSONB, "terms"),
    _needed(ARRAY(Text), "not_judged"),
    _needed(Boolean, "counted"),
    _needed(BigInteger, "position"),
    # The digest reads these two only where the sheet states a winner.
    _undigested(_optional(Text, "winner_by")),
    _undigested(_optional(SmallInteger, "stated_winner")),
)
appearances = _of_run(
    "appearances",
    ("match_id", "player_id"),
    _keys(Id, "match_id", "player_id"),
    _needed(Time, "began_at"),
    _keys(Time, "decided_at"),
    _needed(Id, "mode", "competition", "ruleset"),
    _needed(SmallInteger, "side"),
    _needed(Boolean, "won"),
    _optional(Integer, "own_score", "other_score"),
    _needed(SmallInteger, "hands_won", "hands_won_by_block", "capicuas", "viajeras", "blocks"),
    _needed(Boolean, "pollona", "pollona_suffered"),
    _needed(Integer, "trailed_by"),
    _optional(Id, "partner"),
    _needed(ARRAY(Text), "opponents"),
)
changes = _of_run(
    "changes",
    ("subject", "id", "decided_at", "match_id"),
    _keys(Time, "decided_at"),
    _keys(Id, "match_id"),
    _needed(Id, "mode"),
    _keys(Id, "subject", "id"),
    _needed(Double(), "before", "after", "k"),
    _needed(Text, "k_rule"),
    _needed(Double(), "outcome", "expected", "modifier"),
    _needed(JSONB, "modifier_terms"),
    _needed(Boolean, "capped"),
    _needed(Double(), "opponents", "own"),
    _needed(Integer, "matches_before"),
    _needed(Id, "edition"),
    _needed(BigInteger, "position"),
)
ratings = _of_run(
    "ratings",
    ("subject", "id", "mode"),
    _keys(Id, "subject", "id", "mode"),
    _needed(Double(), "rating"),
    _needed(Integer, "matches"),
    _needed(Boolean, "provisional"),
    _needed(Time, "last_decided_at"),
)
achievements = _of_run(
    "achievements",
    ("player_id",),
    _keys(Id, "player_id"),
    _needed(Integer, "matches", "hands_won", "capicuas", "viajeras", "pollonas", "streak"),
    _needed(JSONB, "best"),
    _needed(Integer, "wins"),
)
badges = _of_run(
    "badges",
    ("player_id", "badge"),
    _keys(Id, "player_id", "badge"),
    _needed(Id, "measure"),
    _needed(Integer, "threshold"),
    _needed(Time, "earned_at"),
    _optional(Id, "match_id"),
    _needed(BigInteger, "position"),
)
series_games = _of_run(
    "series_games",
    ("match_id",),
    _keys(Id, "match_id", "mode", "month", "a", "b"),
    _keys(Time, "decided_at"),
    _needed(Boolean, "a_won"),
    _optional(Id, "counts_zero"),
    _needed(Id, "edition"),
)
series_pairs = _of_run(
    "series_pairs",
    ("mode", "month", "a", "b"),
    _keys(Id, "mode", "month", "a", "b"),
    _needed(Time, "entered_at"),
    _needed(Id, "entered_match"),
    _needed(Integer, "start", "a_wins", "b_wins", "ignored", "a_series_points", "a_game_points"),
    _needed(Boolean, "locked"),
    _needed(Integer, "stake"),
)
standings = _of_run(
    "standings",
    ("mode", "month", "id"),
    _keys(Id, "mode", "month", "id"),
    _needed(Integer, "wins", "losses", "series_points", "total"),
)
honours = _of_run(
    "honours",
    ("player_id", "measure", "month", "mode"),
    _needed(Id, "player_id", "measure", "month"),
    _optional(Id, "mode"),
)
checkpoints = _of_run(
    "checkpoints",
    (),
    _undigested(_keys(Time, "decided_at")),
    _undigested(_keys(Id, "match_id")),
    _undigested(_needed(LargeBinary, "state")),
)
closed_months = _table(
    "closed_months",
    _keys(Id, "month"),
    _needed(Time, "ends_at", "closed_at"),
    _needed(BigInteger, "position"),
)
published_standings = _table(
    "published_standings",
    _keys(Id, "month", "mode", "id"),
    _needed(Integer, "rank", "wins", "losses", "series_points", "total"),
)
replays = _table(
    "replays",
    _keys(Integer, "replay"),
    _optional(LargeBinary, "candidate"),
    _optional(Time, "starts_at", "ends_at"),
    _needed(Text, "requested_by"),
    _needed(Time, "requested_at"),
    _optional(Integer, "run"),
    _optional(Text, "failure"),
    _needed(SmallInteger, "attempts"),
    _needed(Integer, "done", "total"),
    _optional(Time, "known_at", "cancelled_at"),
    _needed(Boolean, "unfinished"),
    _optional(Text, "title", "reason"),
    _optional(Id, "revises"),
    _optional(BigInteger, "restores"),
)
fitted_rules = _table(
    "fitted_rules",
    _keys(Id, "rating"),
    _needed(Text, "first_month", "last_month"),
    _needed(LargeBinary, "held_out"),
    _needed(Time, "fitted_at"),
)

RUN_TABLES = tuple(table for table in metadata.tables.values() if "digest_by" in table.info)
"""The tables with a partition per run, in the order in which the digest reads them."""


def written_columns(table: Table) -> list[str]:
    """The columns that writers fill, in this order; the database computes the others."""
    return [column.name for column in table.columns if column.computed is None and column.identity is None]


def digested_columns(table: Table) -> list[str]:
    """The columns of a table of runs that the digest reads, in this order; empty if it leaves the table out."""
    return [column.name for column in table.columns if column.name != "run" and column.info.get("digested", True)]


def players_of(competitor: ColumnElement[Any]) -> ColumnElement[Any]:
    """The ids of the competitor's players as an array: one player, or a pair's two players in order."""
    return func.string_to_array(competitor, JOINT)


def partners_of(pair: ColumnElement[Any]) -> tuple[ColumnElement[str], ...]:
    """The ids of a pair's two players in order."""
    # Constants, not parameters: the indexes of partners have these expressions.
    joint = literal_column(f"'{JOINT}'", Text)
    numbers = (literal_column(str(number), Integer) for number in range(1, PARTNERS + 1))
    return tuple(func.split_part(pair, joint, number) for number in numbers)


def includes(competitor: ColumnElement[Any], player: str) -> ColumnElement[bool]:
    """Whether the competitor is this player, or a pair that includes this player."""
    return literal(player) == func.any(players_of(competitor))


def pair_of(one: ColumnElement[str], other: ColumnElement[str]) -> ColumnElement[str]:
    """The id of the pair of two players."""
    return func.concat(func.least(one, other), JOINT, func.greatest(one, other)).collate("C")
