"""The shape of the schema: references, pages, rows, mutations, errors as data."""
