"""The codes of refusals of tournaments."""

ERROR_CODES = {
    "DRAWN_AGAIN": "The round could not be published, and was drawn again: look at its tables and publish it.",
    "ALREADY_COMMITTED": "The competitor has a commitment to the next drawing already.",
    "NO_COMMITMENT": "The competitor had no commitment when the round was drawn.",
    "OTHER_COMMITMENT": "The bytes do not fit the commitment.",
    "ALREADY_CONTRIBUTED": "The competitor's bytes for this drawing are stored already.",
    "DRAWING_CLOSED": "The bytes came too late: the round is paired, or was drawn again.",
    "ROUND_OUTDATED": "What the round was drawn on has changed: draw it again, or publish it with `evenIfOutdated`.",
}
"""Each with a description."""
