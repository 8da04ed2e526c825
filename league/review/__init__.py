"""Reviews of hands: what each move cost, what was luck, and what a pair could have seen. A feature beside the core."""

from league.features import Feature

FEATURE = Feature(
    name="review",
    error_codes="access:ERROR_CODES",
    events="events:EVENTS",
    commands="commands:HANDLERS",
    rows="commands:ReviewRows.of",
    rows_again="rows:ROWS_AGAIN",
    bookkeeping="rows:BOOKKEEPING",
    jobs="work:ReviewJobs",
    channels="rows:CHANNELS",
    match_watch="rows:OF_MATCH",
    schema="schema:SCHEMA",
    hand_fields="fields:ReviewOfHand",
    player_fields="fields:ReviewsOfPlayer",
    team_fields="fields:ReviewsOfTeam",
    permissions="access:PERMISSIONS",
    site="console:SITE",
    log_exports="transfer:EXPORTS",
    words="words:WORDS",
)
