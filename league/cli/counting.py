"""Numbers with the word for what they count."""


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 player`, `2 players`; `many` is the plural where it is not `one` with an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"
