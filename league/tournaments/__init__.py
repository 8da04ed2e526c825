"""Tournaments: who plays whom, at which table, and why. A feature beside the core."""

from league.features import Feature

FEATURE = Feature(
    name="tournaments",
    events="domain.events:EVENTS",
    commands="tournament_commands:HANDLERS",
    rules="tournament_commands:RULES",
    states="tournament_states:KEPT",
    rows="tournament_states:rows_of",
    rows_again="tournament_states:ROWS_AGAIN",
    schema="api.schema:SCHEMA",
    has_bell="seen:has_bell",
    match_fields="api.tournaments:TournamentOfMatch",
    error_codes="domain.refusals:ERROR_CODES",
    serving="api.schema:serving",
    working="drawing:working",
    permissions="permissions:PERMISSIONS",
    endpoints="api.entries_endpoint:endpoints",
    uploads="uploads:UPLOADS",
    recorded="transfer.recorded_tournaments:take_tournaments",
    exports="transfer.exports:EXPORTS",
    site="console:SITE",
    cli="cli:COMMANDS",
    demo="cli.demo:show_tournament",
    words="words:WORDS",
)
