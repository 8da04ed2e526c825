"""`league rules`: the rulebook for people, and a candidate checked before anybody adopts it."""

from pathlib import Path
from typing import Any

from rich.markup import escape

from league.application.bootstrap import clock, open_league
from league.application.world import World
from league.cli import terminal
from league.domain.refusals import InvalidInput, NotFound
from league.domain.rulebook_document import content_hash, differences, parse_rulebook, to_document
from league.domain.rules import Rulebook, Rules
from league.domain.timeline import edition_at
from league.infra.settings import Settings
from league.rulebook import shipped_edition
from league.wording.rulebook import BADGES, BOARDS, RATING, SERIES, ruleset_lines, setting_of_ruleset

SECTIONS = {
    "rating": ("Domino Score (CDS)", RATING),
    "series": ("Monthly series (ToT)", SERIES),
    "badges": ("Badges", BADGES),
    "boards": ("Leaderboards", BOARDS),
}
"""The sections beside the rulesets: their titles, and what each setting decides."""


def show(settings: Settings, edition: int | None, *, as_json: bool) -> None:
    """Print an edition; without a number the one in force now. Raises NotFound."""
    number, rulebook = _edition(settings, edition)
    if as_json:
        terminal.print_json({"edition": number, "hash": content_hash(rulebook), "document": to_document(rulebook)})
        return
    terminal.out.rule(f"[bold]Edition {number}: {escape(rulebook.title)}[/]", align="left")
    terminal.out.print(f"[dim]{content_hash(rulebook)}[/]\n")
    for name, ruleset in rulebook.rulesets.items():
        terminal.out.print(f"[bold]{escape(ruleset.title)}[/] ({escape(name)})\n{escape(ruleset.description)}")
        lines = [(key, f"{what}: {value}") for key, what, value in ruleset_lines(ruleset)]
        terminal.table("", ("setting", ""), lines)
    for section, (title, words) in SECTIONS.items():
        lines = [(key, f"{words.get(key, key)}: {_plain(value)}") for key, value in _leaves(getattr(rulebook, section))]
        terminal.table(f"{section}: {title}", ("setting", ""), lines)


def check(settings: Settings, file: Path, *, as_json: bool) -> None:
    """Validate a candidate and say what it changes of the edition in force. Raises InvalidRulebook, InvalidInput."""
    number, in_force = _edition(settings, None)
    candidate = parse_rulebook(read_rules(file), in_force)
    changed = differences(in_force, candidate)
    if as_json:
        rows = [{"setting": key, "before": before, "after": after} for key, before, after in changed]
        terminal.print_json({"valid": True, "hash": content_hash(candidate), "edition": number, "changes": rows})
        return
    terminal.out.print(f"{escape(str(file))} is a valid rulebook ([dim]{content_hash(candidate)}[/]).")
    if not changed:
        terminal.out.print(f"It says the same as edition {number}, which is in force.")
        return
    lines = [(key, _plain(before), _plain(after), _words(key)) for key, before, after in changed]
    terminal.table(f"What it changes of edition {number}, which is in force", ("setting", "now", "then", ""), lines)


def read_rules(file: Path) -> str:
    """The text of a rulebook. Raises InvalidInput when it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput("rules", f"{file} cannot be read: {error}") from None


def _edition(settings: Settings, number: int | None) -> tuple[int, Rulebook]:
    with open_league(settings) as league:
        state = World(league.store, clock()).rulebook()
    # Before there is a league, the shipped edition is what it would begin with.
    editions = state.editions or (shipped_edition(1),)
    if number is None:
        number = edition_at(state.timeline, clock()) if state.timeline else 1
    if not 1 <= number <= len(editions):
        raise NotFound("edition", "edition", str(number))
    return number, editions[number - 1]


def _leaves(section: Rules) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []

    def walk(at: str, value: Any) -> None:
        if isinstance(value, dict) and value:
            for key, item in value.items():
                walk(f"{at}.{key}" if at else key, item)
        else:
            found.append((at, value))

    walk("", to_document(section))
    return found


def _words(key: str) -> str:
    section, _, rest = key.partition(".")
    if section == "rulesets":
        return setting_of_ruleset(key)
    return SECTIONS[section][1].get(rest, "") if section in SECTIONS else ""


def _plain(value: Any) -> str:
    if value is None:
        return "(not there)"
    if value is False:
        return "off"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(item)}" for key, item in value.items()) or "none"
    if isinstance(value, list | tuple):
        return "; ".join(_plain(item) for item in value) or "none"
    return str(value)
