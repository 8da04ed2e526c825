"""Live tables: players sit down, the server shuffles and deals, every move is an event. A feature beside the core."""

from league.features import Feature

FEATURE = Feature(
    name="tables",
    events="declarations:EVENTS",
    commands="application.table_commands:HANDLERS",
    source="live",
    rules="application.table_commands:RULES",
    states="application.live_rows:KEPT",
    rows="application.live_rows:rows_of",
    rows_again="application.live_rows:ROWS_AGAIN",
    restoring="application.live_rows:dropped_hands",
    bookkeeping="projections:BOOKKEEPING",
    played="projections:PLAYED",
    schema="api.table_mutations:SCHEMA",
    match_fields="api.tables:TableOfMatch",
    match_errors="api.acting:MATCH_ERRORS",
    error_codes="domain.refusals:ERROR_CODES",
    permissions="declarations:PERMISSIONS",
    shared="api.live_tables:shared",
    serving="api.live_tables:serving",
    working="application.clock_keeper:working",
    ai_players="application.clock_keeper:play_ai_seats",
    figures="api.live_tables:figures",
    site="console:SITE",
    cli="cli:COMMANDS",
    words="declarations:WORDS",
)
