"""Photos of the tiles that were left: a computer proposes a count, a person settles it. A feature beside the core."""

from league.features import Feature

FEATURE = Feature(
    name="photos",
    error_codes="domain.photo:ERROR_CODES",
    events="declarations:EVENTS",
    commands="photo_commands:HANDLERS",
    source="photo",
    rules="photo_commands:RULES",
    overwrites="photo_commands:OVERWRITES",
    rows="photo_commands:PhotoRows.of",
    rows_again="photo_commands:ROWS_AGAIN",
    backed_up="photo_jobs:names_of_pictures",
    bookkeeping="photo_commands:BOOKKEEPING",
    jobs="photo_jobs:PhotoJobs",
    channels="photo_jobs:CHANNELS",
    schema="api.photos:SCHEMA",
    match_fields="api.seen_photos:PhotosOfMatch",
    hand_fields="api.seen_photos:PhotosOfHand",
    evidence="api.photos:fill",
    permissions="declarations:PERMISSIONS",
    shared="api.seen_photos:shared",
    endpoints="api.seen_photos:endpoints",
    uploads="declarations:UPLOADS",
    site="console:SITE",
    cli="cli:COMMANDS",
    words="declarations:WORDS",
)
