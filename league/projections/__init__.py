"""The folds: events to matches, matches to ratings; and the read tables that store their rows."""
