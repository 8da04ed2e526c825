"""`league init`, `settings` and `rules`: creates the league, changes its settings, and shows its rulebook."""

import os
import zoneinfo
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from league.application.bootstrap import League, clock, open_league
from league.application.preview import preview_time_zone
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.opening import existing_league, reading
from league.cli.opening import settings as configured
from league.cli.preview_tables import plain_preview, print_preview
from league.cli.terminal import Actor, Json, OnlyPreview, Yes, ask_until, at_terminal, nothing_stored
from league.domain.collected_refusals import Faults
from league.domain.league import ChangeSettings, check_name, check_time_zone
from league.domain.refusals import AlreadyExists, InvalidInput, NoLeague
from league.domain.rulebook import RulebookState, content_hash, differences, parse_rulebook, to_document
from league.domain.rulebook_defaults import written_out
from league.domain.rules import Rulebook
from league.domain.sentences import say, say_count
from league.domain.timeline import edition_at
from league.rulebook import shipped_edition
from league.wording.language import spoken
from league.wording.rulebook import SECTIONS, plain_value, ruleset_lines, section_lines, setting_in_words

LOCAL = Path("/etc/localtime")
"""The link to the file of the time zone, on Linux and macOS."""


def machine_zone() -> str | None:
    """The time zone of this machine, such as America/Havana; None if the machine does not tell it."""
    linked = os.path.realpath(LOCAL).partition("zoneinfo/")[2]
    for name in (os.environ.get("TZ", "").lstrip(":"), linked):
        if name in zoneinfo.available_timezones():
            return name
    return None


def init(
    name: Annotated[str | None, typer.Option(help="The name of the league.")] = None,
    time_zone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="The time zone of its months, such as America/Havana.")
    ] = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Create the league.

    It begins with edition 1 of the rules. A database holds one league. At a terminal the command asks for the name and
    the time zone when they are not given.
    """
    with open_league(configured(), prepare=True) as league:
        if league.exists():
            raise AlreadyExists("league", "league", league.name())
        name, time_zone = _asked(name, time_zone)
        position = league.create(name, time_zone, actor)
        league.project()
    if as_json:
        terminal.print_json({"name": name, "time_zone": time_zone, "position": position})
        return
    said = say(
        "Created the league {name} in the time zone {zone}, with edition 1 of the rules (log position {position}).",
        name=escape(repr(name)),
        zone=time_zone,
        position=position,
    )
    terminal.out.print(said)
    terminal.out.print(
        say("Next: `league serve` serves its pages, and `league token NAME --role admin --link` signs you in to them.")
    )


def _asked(name: str | None, time_zone: str | None) -> tuple[str, str]:
    """The name and the time zone. A person is asked for a missing one; in a script, raises InvalidInput."""
    if not at_terminal():
        missing = [
            InvalidInput(at, say("is not given: name it with {option}", option=option))
            for at, option, value in (("name", "--name", name), ("time_zone", "--time-zone", time_zone))
            if value is None
        ]
        Faults.check(missing)
    with nothing_stored():
        if name is None:
            name = ask_until(say("Name of the league"), check_name)
        if time_zone is None:
            time_zone = ask_until(say("Time zone of its months"), check_time_zone, machine_zone() or "")
    return name, time_zone


def settings(
    name: Annotated[str | None, typer.Option(help="The new name of the league.")] = None,
    time_zone: Annotated[str | None, typer.Option(metavar="ZONE", help="The new time zone of its months.")] = None,
    confirmation: Annotated[
        bool | None,
        typer.Option(help="Whether matches that end from now on await confirmation by their players."),
    ] = None,
    photo_confidence: Annotated[
        float | None,
        typer.Option(help="The confidence below which a count of a photo says that it cannot tell.", min=0.0, max=1.0),
    ] = None,
    preview: OnlyPreview = False,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Show or change the league's settings.

    Without options the command shows them. Another time zone moves matches near midnight to other months. The command
    then shows what would change, and asks.
    """
    with existing_league() as league:
        changes = ChangeSettings(name, time_zone, confirmation, photo_confidence)
        if preview and time_zone is None:
            raise InvalidInput("preview", say("only another time zone changes what is stored: name it"))
        if time_zone is not None and not _time_zone_agreed(league, time_zone, preview, yes=yes, as_json=as_json):
            return
        if changes != ChangeSettings():
            league.dispatcher.send(changes, actor)
            league.project()
        now = StreamStates(league.store, clock()).league()
    if as_json:
        terminal.print_json(
            {
                "name": now.name,
                "time_zone": now.time_zone,
                "confirmation": now.confirmation,
                "photo_confidence": now.photo_confidence,
            }
        )
        return
    demanded = say("demanded") if now.confirmation else say("not demanded")
    rows = [(say("name"), now.name), (say("time zone"), now.time_zone), (say("confirmation of results"), demanded)]
    rows.append((say("confidence of photos"), f"{now.photo_confidence:g}"))
    terminal.table(say("Settings"), ("", ""), rows)


def _time_zone_agreed(league: League, time_zone: str, only_preview: bool, *, yes: bool, as_json: bool) -> bool:
    """Whether to change the time zone. If matches would move to other months, print what would change, and ask."""
    league.project()
    with terminal.working(say("folding what would change")):
        found = preview_time_zone(league.database.url, league.store, clock, time_zone)
    if only_preview and as_json:
        changes = plain_preview(found.changes)
        terminal.print_json({"matches": found.matches, "closed_months": found.closed_months, "changes": changes})
    elif only_preview or (found.matches and not as_json):
        terminal.out.print(
            say_count(
                "{count} match would count in another month.", "{count} matches would count in another month.",
                found.matches,
            )
        )  # fmt: skip
        if found.closed_months:
            months = ", ".join(found.closed_months)
            terminal.out.print(say("Closed months among them: {months}. Their published lists stay.", months=months))
        with reading(league) as conn:
            print_preview(conn, found.changes, as_json=False)
    return not only_preview and terminal.agreed(say("Change the time zone?"), ask=found.matches > 0 and not yes)


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
        say("[bold]Edition {number}: {title}[/]", number=number, title=escape(spoken(say(rulebook.title)))),
        align="left",
    )
    terminal.out.print(f"[dim]{hash_}[/]\n")
    for name, ruleset in rulebook.rulesets.items():
        terminal.out.print(
            say(
                "[bold]{title}[/] ({name})\n{description}",
                title=escape(spoken(say(ruleset.title))),
                name=escape(name),
                description=escape(spoken(say(ruleset.description))),
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
        say(
            "{file} is a valid rulebook ([dim]{candidate}[/]).",
            file=escape(str(file)),
            candidate=content_hash(candidate),
        )
    )
    if not changed:
        terminal.out.print(say("It is equal to edition {number}, which is in force.", number=number))
        return
    lines = [(key, plain_value(before), plain_value(after), setting_in_words(key)) for key, before, after in changed]
    terminal.table(
        say("Changes from edition {number}, which is in force", number=number), ("setting", "now", "then", ""), lines
    )


def read_rules(file: Path) -> str:
    """The text of a rulebook. Raises InvalidInput if the file cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InvalidInput("rules", say("{file} is not there", file=file)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput("rules", say("{file} cannot be read: {error}", file=file, error=error)) from None


def _edition(number: int | None) -> tuple[int, str, Rulebook]:
    """The number, the hash and the document of an edition. Raises NotFound."""
    state = RulebookState()
    with suppress(NoLeague), open_league(configured()) as league:
        state = StreamStates(league.store, clock()).rulebook()
    if number is None:
        number = edition_at(state.timeline, clock()) if state.timeline else 1
    if number == 1 and not state.editions:
        # Before a league is created, edition 1 is the shipped one.
        shipped = shipped_edition(1)
        return 1, content_hash(shipped), shipped
    return number, state.published(number).hash, state.edition(number)
