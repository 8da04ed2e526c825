"""The laboratory: shows at once what the ratings would be under other rules, and fits rules to the league's history.

When a month is closed, a worker reviews the league's own rules.

A feature beside the core.
"""

from league.features import Feature

FEATURE = Feature(work="work", access="access", schema="api", site="console", cli="cli")
