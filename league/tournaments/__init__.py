"""Tournaments: who plays whom, at which table, and why. A feature beside the core."""

from league.features import Feature

FEATURE = Feature(
    name="tournaments",
    events="domain.events:EVENTS",
    commands="application.tournament_commands:HANDLERS",
    rules="application.rules:RULES",
    states="application.tournament_states:KEPT",
    rows="application.tournament_rows:rows_of",
    rows_again="application.tournament_rows:ROWS_AGAIN",
    schema="api.schema:SCHEMA",
    has_bell="projections.seen:has_bell",
    match_fields="api.tournaments:TournamentOfMatch",
    error_codes="domain.refusals:ERROR_CODES",
    serving="api.schema:serving",
    working="application.drawing_keeper:working",
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
