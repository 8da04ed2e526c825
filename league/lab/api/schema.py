"""The laboratory in the schema."""

from league.api.schema_part import SchemaPart
from league.lab.api.what_if import WhatIfQueries

SCHEMA = SchemaPart(queries=(WhatIfQueries,))
