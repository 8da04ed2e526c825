"""The laboratory: what the ratings would be under other rules, at once, and rules fitted to the league's own history.

A feature beside the core.
"""

from league.features import Feature

FEATURE = Feature(
    name="lab",
    error_codes="error_codes:ERROR_CODES",
    schema="api.schema:SCHEMA",
    shared="api.shared:shared",
    permissions="permissions:PERMISSIONS",
    site="console:SITE",
    cli="cli:COMMANDS",
)
