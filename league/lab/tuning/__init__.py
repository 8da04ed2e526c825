"""Settings of ratings fitted to the history of the league, judged on months that the search has not seen."""
