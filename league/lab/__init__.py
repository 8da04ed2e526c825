"""The laboratory: what the ratings would be under other rules, at once, and rules fitted to the league's own history.

A feature beside the core.
"""

from league.features import Feature

FEATURE = Feature(
    name="lab",
    error_codes="access:ERROR_CODES",
    schema="schema:SCHEMA",
    shared="schema:shared",
    permissions="access:PERMISSIONS",
    site="console:SITE",
    cli="cli:COMMANDS",
)
