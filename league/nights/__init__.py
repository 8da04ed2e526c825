"""Nights: who is here, what is played tonight, and the next match in one tap. A feature beside the core."""

from league.features import Feature

FEATURE = Feature(
    events="events",
    words="words",
    commands="commands",
    access="access",
    schema="api",
    site="console",
)
