"""The codes of refusals of tournaments."""

ERROR_CODES = {
    "DRAWN_AGAIN": "The round could not be published, and was drawn again: look at its tables and publish it.",
}
"""Each with a description."""
