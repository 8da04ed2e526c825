"""The two pure folds: events to decided matches, decided matches to ratings, series and badges."""
