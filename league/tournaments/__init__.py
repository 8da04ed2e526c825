"""Tournaments: who plays whom, at which table, and why. This feature builds on the core."""

from league.features import Feature

FEATURE = Feature(
    events="events",
    words="words",
    commands="tournament_commands",
    rows="tournament_states",
    work="explaining",
    transfer="recorded_tournaments",
    access="access",
    fields="api.match_fields",
    schema="api",
    site="console",
    cli="cli",
)
