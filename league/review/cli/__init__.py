"""The commands of reviews."""

from league.cli.entry import RESULTS, Entry

COMMANDS = {
    "review": Entry(
        RESULTS,
        "Review the hands of a match: what each move cost, and what was luck.",
        "league.review.cli.review",
    )
}
