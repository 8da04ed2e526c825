"""The rows that the folds write to the read tables."""
