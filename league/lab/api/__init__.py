"""The laboratory in the API: the league under other rules, and the reviews of the league's own rules."""

from league.api.schema_part import SchemaPart
from league.lab.api.rules_review import RulesReviewQueries
from league.lab.api.what_if import WhatIfQueries
from league.lab.laboratory import Laboratory

SCHEMA = SchemaPart(queries=(WhatIfQueries, RulesReviewQueries), shared=lambda _process: Laboratory())
