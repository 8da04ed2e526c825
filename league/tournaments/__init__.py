"""Tournaments: who plays whom, at which table, and why. A feature beside the core."""

from league.features import Feature

FEATURE = Feature(
    name="tournaments",
    events="events:EVENTS",
    commands="tournament_commands:HANDLERS",
    rules="tournament_commands:RULES",
    states="tournament_states:KEPT",
    rows="tournament_states:rows_of",
    rows_again="tournament_states:ROWS_AGAIN",
    schema="api:SCHEMA",
    has_bell="seen:has_bell",
    match_fields="api.tournaments:TournamentOfMatch",
    error_codes="domain.refusals:ERROR_CODES",
    serving="api:serving",
    working="drawing:working",
    permissions="access:PERMISSIONS",
    endpoints="entries_sheet:endpoints",
    uploads="uploads:UPLOADS",
    recorded="recorded_tournaments:take_tournaments",
    exports="exports:EXPORTS",
    site="console:SITE",
    cli="cli:COMMANDS",
    demo="at_terminal:show_tournament",
    words="words:WORDS",
)
