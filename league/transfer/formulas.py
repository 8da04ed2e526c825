"""Texts that a spreadsheet would compute: a quote before them keeps it from that, in every export."""

import unicodedata

SIGNS = "=+-@＝＋－＠"  # noqa: RUF001  # some spreadsheets take full-width signs for the others
"""How formulas begin."""
UNSEEN = ("C", "Z", "M")
"""Kinds of characters that a spreadsheet may pass over before a sign: controls and formats, spaces, marks."""


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may compute a text: it begins with a sign, or with what nobody sees and then a sign."""
    first = next((character for character in text if not unicodedata.category(character).startswith(UNSEEN)), "")
    return first != "" and first in SIGNS


def quoted(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if is_formula(text) else text
