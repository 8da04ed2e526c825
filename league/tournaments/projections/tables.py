"""The rows of tournaments, as SQLAlchemy sees them. They are written together with the events."""

from sqlalchemy import Column, DateTime, Integer, LargeBinary, MetaData, Table, Text

Id = Text(collation="C")
metadata = MetaData()

tournaments = Table(
    "tournaments",
    metadata,
    Column("tournament_id", Id, primary_key=True),
    Column("planned_at", DateTime(timezone=True), nullable=False),
    Column("name", Text, nullable=False),
    Column("format", Id, nullable=False),
    Column("status", Id, nullable=False),
    Column("state", LargeBinary, nullable=False),
    Column("asked_at", DateTime(timezone=True)),
)
tournament_players = Table(
    "tournament_players",
    metadata,
    Column("player_id", Id, primary_key=True),
    Column("tournament_id", Id, primary_key=True),
)
tournament_drawings = Table(
    "tournament_drawings",
    metadata,
    Column("tournament_id", Id, primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("drawing", LargeBinary, nullable=False),
)
tournament_matches = Table(
    "tournament_matches",
    metadata,
    Column("match_id", Id, primary_key=True),
    Column("tournament_id", Id, nullable=False),
    Column("round", Integer, nullable=False),
    Column("number", Integer, nullable=False),
)
