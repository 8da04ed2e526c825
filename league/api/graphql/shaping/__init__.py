"""What shapes the schema: references, pages, rows, mutations, errors as data."""
