"""Live tables: players sit down, the server shuffles and deals, every move is an event. A feature beside the core."""

from league.features import Feature

FEATURE = Feature(
    events="events",
    words="words",
    commands="application.table_commands",
    rows="application.live_rows",
    work="application.clock_keeper",
    access="access",
    fields="api.acting",
    schema="api.table_mutations",
    site="console",
    cli="cli",
)
