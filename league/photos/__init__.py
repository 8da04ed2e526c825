"""Photos of the tiles that were left: a computer proposes a count, a person settles it. A feature beside the core."""

from league.features import Feature

FEATURE = Feature(
    name="photos",
    error_codes="error_codes:ERROR_CODES",
    events="events:EVENTS",
    commands="application.photo_commands:HANDLERS",
    source="photo",
    rules="application.photo_commands:RULES",
    overwrites="application.photo_commands:OVERWRITES",
    rows="application.photo_rows:PhotoRows.of",
    rows_again="application.photo_rows:ROWS_AGAIN",
    backed_up="application.backed_up:names_of_pictures",
    bookkeeping="application.photo_rows:BOOKKEEPING",
    jobs="application.photo_jobs:PhotoJobs",
    channels="application.photo_jobs:CHANNELS",
    schema="api.schema:SCHEMA",
    match_fields="api.fields:PhotosOfMatch",
    hand_fields="api.fields:PhotosOfHand",
    evidence="api.evidence:fill",
    permissions="permissions:PERMISSIONS",
    shared="api.photo_endpoints:shared",
    endpoints="api.photo_endpoints:endpoints",
    uploads="uploads:UPLOADS",
    site="console:SITE",
    cli="cli:COMMANDS",
    words="words:WORDS",
)
