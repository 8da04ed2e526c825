"""What the folds write: the rows of the read tables."""
