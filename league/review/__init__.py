"""Reviews of hands: what each move cost, what was luck, and what a pair could have seen. A feature beside the core."""

from league.features import Feature

FEATURE = Feature(
    name="review",
    error_codes="error_codes:ERROR_CODES",
    events="events:EVENTS",
    commands="application.review_rows:HANDLERS",
    rows="application.review_rows:ReviewRows.of",
    rows_again="application.results_again:ROWS_AGAIN",
    bookkeeping="application.review_rows:BOOKKEEPING",
    jobs="application.review_jobs:ReviewJobs",
    channels="stored_reviews:CHANNELS",
    match_watch="stored_reviews:OF_MATCH",
    schema="api.schema:SCHEMA",
    hand_fields="api.fields:ReviewOfHand",
    player_fields="api.fields:ReviewsOfPlayer",
    team_fields="api.fields:ReviewsOfTeam",
    permissions="permissions:PERMISSIONS",
    site="console:SITE",
    log_exports="transfer.transcripts:EXPORTS",
    words="words:WORDS",
)
