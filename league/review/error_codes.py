"""The codes of refusals of reviews."""

ERROR_CODES = {
    "NO_HANDS": "No hand of the match is recorded: nothing: there is nothing to review.",
    "NO_TURNS": "The turns of the hand are not known: choose a hand that was played turn by turn.",
}
"""Each with a description."""
