"""The laboratory: shows at once what the ratings would be under other rules, and fits rules to the league's history.

A feature beside the core.
"""

from league.features import Feature

FEATURE = Feature(access="access", schema="api", site="console", cli="cli")
