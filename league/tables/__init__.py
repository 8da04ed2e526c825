"""Live tables: players sit down, the server shuffles and deals, every move is an event. A feature beside the core."""

from league.features import Feature

FEATURE = Feature(
    name="tables",
    events="events:EVENTS",
    commands="application.table_commands:HANDLERS",
    source="live",
    rules="application.rules:RULES",
    states="application.table_states:KEPT",
    rows="application.live_rows:rows_of",
    rows_again="application.live_rows:ROWS_AGAIN",
    restoring="application.restoring:dropped_hands",
    bookkeeping="projections:BOOKKEEPING",
    played="projections.played_hands:PLAYED",
    schema="api.schema:SCHEMA",
    match_fields="api.tables:TableOfMatch",
    match_errors="api.table_success:MATCH_ERRORS",
    error_codes="error_codes:ERROR_CODES",
    permissions="permissions:PERMISSIONS",
    shared="api.live_tables:shared",
    serving="api.live_tables:serving",
    working="application.working:working",
    ai_players="application.ai_seats:play_ai_seats",
    figures="figures:figures",
    site="console:SITE",
    cli="cli:COMMANDS",
    words="words:WORDS",
)
