"""The commands of `league`, in the order of its help. The module of a command is imported only when it is called.

Help texts, options and errors of usage are English; whatever else a command prints follows `--language`.

To add a command NAME, add its line here, and a function or a `typer.Typer` of subcommands with this name (`_` for `-`)
in `league/cli/NAME.py`, or in another module that the line names. The summary here is the first line of its docstring.
"""

from pkgutil import resolve_name
from typing import Annotated, Any

import typer
from typer._click import Command, Context  # Typer's own copy of click, which it does not export
from typer.core import TyperCommand, TyperGroup

from league.cli.entry import (
    BOARDS,
    LEAGUE,
    LOG,
    PROCESSES,
    REPLAYS,
    ROWS,
    TABLES,
    CliPart,
    CommandEntry,
)
from league.domain.sentences import Language
from league.features import declared
from league.wording.language import speak

COMMANDS = {
    "demo": CommandEntry(LEAGUE, "Import a recorded season, show the league it makes, and serve it."),
    "init": CommandEntry(LEAGUE, "Create the league.", "cli.settings:init"),
    "settings": CommandEntry(LEAGUE, "Show or change the league's settings."),
    "erase": CommandEntry(LEAGUE, "Erase the names of a player for good.", "cli.administration:erase"),
    "rules": CommandEntry(LEAGUE, "Show the rulebook, and check candidates for a new edition.", "cli.settings:rules"),
    "board": CommandEntry(BOARDS, "Print a leaderboard, or write it as a picture to share."),
    "explain": CommandEntry(BOARDS, "Explain a rating change, a hand, a match, a standing, a badge or a place."),
    "simulate": CommandEntry(TABLES, "Let the levels of the AI play each other.", "cli.demo:simulate"),
    "replay": CommandEntry(
        REPLAYS, "Replay the league under other rules, and compare the result with the official run.",
        "cli.replays:replay",
    ),
    "replays": CommandEntry(REPLAYS, "List the replays."),
    "difference": CommandEntry(REPLAYS, "Compare two runs."),
    "promote": CommandEntry(
        REPLAYS, "Make the run of a replay official, and adopt its rules.", "cli.promotion:promote"
    ),
    "rollback": CommandEntry(REPLAYS, "Return to earlier official rules.", "cli.promotion:rollback"),
    "drop": CommandEntry(REPLAYS, "Delete the run of a replay.", "cli.replays:drop"),
    "import": CommandEntry(ROWS, "Import a club's sheet, or a recorded season.", "cli.importing:import_season"),
    "export": CommandEntry(ROWS, "Write rows of the league to standard output.", "cli.backup:export"),
    "sheet-template": CommandEntry(ROWS, "Write an empty sheet of matches to standard output, for `league import`."),
    "backup": CommandEntry(ROWS, "Write the league into one file, while it runs."),
    "restore": CommandEntry(ROWS, "Make a league of a backup, in a database that has none.", "cli.backup:restore"),
    "publish": CommandEntry(ROWS, "Write the public pages as files that any web host serves.", "cli.serving:publish"),
    "trail": CommandEntry(ROWS, "Print who did what, the latest event first.", "cli.administration:trail"),
    "verify": CommandEntry(LOG, "Check that the log is unchanged, and that the league follows from it."),
    "digest": CommandEntry(LOG, "Print the digest of the official run.", "cli.verify:digest"),
    "heads": CommandEntry(LOG, "List, sign and prove heads of the log.", "cli.proofs:heads"),
    "prove": CommandEntry(LOG, "Write a proof that a match is in the log.", "cli.proofs:prove"),
    "check-proof": CommandEntry(LOG, "Check a proof, without a database.", "cli.proofs:check_proof"),
    "serve": CommandEntry(PROCESSES, "Serve the pages of the league and its GraphQL API.", "cli.serving:serve"),
    "project": CommandEntry(PROCESSES, "Follow the log and keep the read tables up to date.", "cli.processes:project"),
    "worker": CommandEntry(
        PROCESSES, "Run the replays that wait in the queue, and keep the clock of live tables.", "cli.processes:worker"
    ),
    "migrate": CommandEntry(PROCESSES, "Migrate the database to the newest version.", "cli.processes:migrate"),
    "token": CommandEntry(
        PROCESSES, "Make a bearer token for the API, or a link to sign in to the pages.", "cli.administration:token"
    ),
    **{name: entry for part in declared(CliPart) for name, entry in part.commands.items()},
}  # fmt: skip


class LazyGroup(TyperGroup):
    """Lists the commands by their summaries, and imports the one that is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, entry in COMMANDS.items():
            self.add_command(TyperCommand(name, help=entry.summary, rich_help_panel=entry.panel))

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """The command that is called, with its name and its arguments."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and load(name or ""), rest

    def invoke(self, ctx: Context) -> Any:
        """Run the command that is called. A number beyond a limit is refused in words."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = _in_words(error)
            raise


_LIMITS = {"greater_than_equal": ("ge", "at least"), "less_than_equal": ("le", "at most")}
"""The limits of pydantic, which Typer asks: their names in its errors, and in words."""


def _in_words(error: typer.BadParameter) -> str:
    """The message of a wrong value."""
    faults: list[Any] = getattr(error.__cause__, "errors", list)()
    limit = _LIMITS.get(faults[0]["type"]) if len(faults) == 1 else None
    if limit is None:
        return error.message
    key, words = limit
    return f"must be {words} {faults[0]['ctx'][key]:.12g}, not {faults[0]['input']}"


def load(name: str) -> Command:
    """Import the command of this name."""
    same = name.replace("-", "_")
    found: Any = resolve_name(f"league.{COMMANDS[name].place or f'cli.{same}:{same}'}")
    if isinstance(found, typer.Typer):
        return typer.main.get_command(found)
    alone = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    alone.command(name=name)(found)
    return typer.main.get_command(alone)


app = typer.Typer(cls=LazyGroup, no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415  # it reads the installed packages, which only --version needs

        typer.echo(f"league {version('domino-league')}")
        raise typer.Exit


def _speak(wanted: Language) -> Language:
    speak(wanted)
    return wanted


@app.callback()
def league(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
    language: Annotated[
        Language,
        typer.Option(
            help="Print in this language. Help and errors of usage are English.",
            case_sensitive=False,
            envvar="LEAGUE_LANGUAGE",
            is_eager=True,
            callback=_speak,
        ),
    ] = "en",
) -> None:
    """A domino league: record hands; get ratings, leaderboards, and the reason behind every number.

    `league COMMAND --help` describes a command.
    """
