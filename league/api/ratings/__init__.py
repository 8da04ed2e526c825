"""Ratings in the API: changes, series for charts, the spread, the journal."""
