"""Photos of leftover tiles: the computer proposes a count, and a person settles it. A feature beside the core."""

from league.features import Feature

FEATURE = Feature(
    events="events",
    words="words",
    commands="photo_commands",
    rows="photo_commands",
    work="photo_jobs",
    transfer="photo_jobs",
    access="access",
    fields="api.seen_photos",
    schema="api.photos",
    site="console",
    cli="cli",
)
