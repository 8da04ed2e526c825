"""The codes of refusals of tournaments."""

ERROR_CODES = {
    "DRAWN_AGAIN": "The round could not be published, and was drawn again: look at its tables and publish it.",
    "ROUND_OUTDATED": "What the round was drawn on has changed: draw it again, or publish it with `evenIfOutdated`.",
}
"""Each with a description."""
