"""The editions that are shipped with the program."""

from importlib.resources import files

from league.domain.rulebook import parse_rulebook
from league.domain.rules import Rulebook


def shipped_edition(number: int = 1) -> Rulebook:
    """Edition `number` as shipped. Raises FileNotFoundError for a number that is not shipped."""
    return parse_rulebook(files(__package__).joinpath(f"edition-{number}.toml").read_text(encoding="utf-8"))
