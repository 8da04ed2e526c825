"""The laboratory: what the ratings would be under other rules, at once, and rules fitted to the league's own history.

A feature beside the core.
"""

from league.features import Feature

FEATURE = Feature(access="access", schema="api", site="console", cli="cli")
