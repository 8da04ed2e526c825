"""Clubs' sheets: tables of matches and hands as CSV or XLSX, read into the league and written out of it."""
