"""Reviews of hands: what each move cost, what was luck, and what a pair could have seen. A feature beside the core."""

from league.features import Feature

FEATURE = Feature(
    events="events",
    words="words",
    commands="commands",
    rows="rows",
    work="work",
    transfer="transfer",
    access="access",
    fields="fields",
    schema="api",
    site="console",
)
