"""`league rules`: the rulebook for people, and candidates for a new edition."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from league.application.bootstrap import clock, open_league
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.opening import settings
from league.cli.options import Json
from league.domain.refusals import InvalidInput, NoLeague
from league.domain.rulebook import (
    RulebookState,
    content_hash,
    differences,
    edition_at,
    parse_rulebook,
    to_document,
    written_out,
)
from league.domain.rules import Rulebook
from league.rulebook import shipped_edition
from league.wording.language import _, spoken
from league.wording.rulebook import SECTIONS, plain_value, ruleset_lines, section_lines, setting_in_words

rules = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    help="Show the rulebook, and check candidates for a new edition.",
)


@rules.command()
def show(
    edition: Annotated[
        int | None, typer.Option(help="The number of an edition (default: the edition in force now).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print an edition of the rulebook."""
    number, hash_, rulebook = _edition(edition)
    document = written_out(to_document(rulebook))
    if as_json:
        terminal.print_json({"edition": number, "hash": hash_, "document": document})
        return
    terminal.out.rule(
        _("[bold]Edition {number}: {title}[/]", number=number, title=escape(_(rulebook.title))), align="left"
    )
    terminal.out.print(f"[dim]{hash_}[/]\n")
    for name, ruleset in rulebook.rulesets.items():
        terminal.out.print(
            _(
                "[bold]{title}[/] ({name})\n{description}",
                title=escape(_(ruleset.title)),
                name=escape(name),
                description=escape(_(ruleset.description)),
            )
        )
        lines = [(key, f"{what}: {value}") for key, what, value in ruleset_lines(ruleset)]
        terminal.table("", ("setting", ""), lines)
    for section, (title, _words) in SECTIONS.items():
        lines = [(key, f"{what}: {value}") for key, what, value in section_lines(rulebook, section)]
        terminal.table(f"{section}: {spoken(title)}", ("setting", ""), lines)


@rules.command()
def check(
    file: Annotated[Path, typer.Argument(help="A rulebook in TOML; it may contain only what it changes.")],
    as_json: Json = False,
) -> None:
    """Validate a rulebook, and print what it changes in the edition in force."""
    number, _first, in_force = _edition(None)
    candidate = parse_rulebook(read_rules(file), in_force)
    changed = differences(in_force, candidate)
    if as_json:
        rows = [{"setting": key, "before": before, "after": after} for key, before, after in changed]
        terminal.print_json({"valid": True, "hash": content_hash(candidate), "edition": number, "changes": rows})
        return
    terminal.out.print(
        _(
            "{file} is a valid rulebook ([dim]{candidate}[/]).",
            file=escape(str(file)),
            candidate=content_hash(candidate),
        )
    )
    if not changed:
        terminal.out.print(_("It is equal to edition {number}, which is in force.", number=number))
        return
    lines = [(key, plain_value(before), plain_value(after), setting_in_words(key)) for key, before, after in changed]
    terminal.table(
        _("Changes from edition {number}, which is in force", number=number), ("setting", "now", "then", ""), lines
    )


def read_rules(file: Path) -> str:
    """The text of a rulebook. Raises InvalidInput when the file cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InvalidInput("rules", _("{file} is not there", file=file)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput("rules", _("{file} cannot be read: {error}", file=file, error=error)) from None


def _edition(number: int | None) -> tuple[int, str, Rulebook]:
    """The number, the hash and the document of an edition. Raises NotFound."""
    state = RulebookState()
    with suppress(NoLeague), open_league(settings()) as league:
        state = StreamStates(league.store, clock()).rulebook()
    if number is None:
        number = edition_at(state.timeline, clock()) if state.timeline else 1
    if number == 1 and not state.editions:
        # Before a league is created, the edition is the shipped one.
        shipped = shipped_edition(1)
        return 1, content_hash(shipped), shipped
    return number, state.published(number).hash, state.edition(number)
