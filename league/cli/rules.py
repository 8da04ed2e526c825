"""The rulebook for people, and candidates for a new edition."""

from pathlib import Path
from typing import Annotated

import typer

from league.cli import rules_command
from league.cli.app import Json, app, settings

rules_app = typer.Typer(no_args_is_help=True, help="Show the rulebook, and check candidates for a new edition.")
app.add_typer(rules_app, name="rules", rich_help_panel="The league")


@rules_app.command(name="show")
def rules_show(
    edition: Annotated[
        int | None, typer.Option(help="The number of an edition (default: the one in force now).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the rulebook."""
    rules_command.show(settings(), edition, as_json=as_json)


@rules_app.command(name="check")
def rules_check(
    file: Annotated[Path, typer.Argument(help="A TOML file; it may contain only what it changes.")],
    as_json: Json = False,
) -> None:
    """Validate a rulebook and print what it changes in the edition in force."""
    rules_command.check(settings(), file, as_json=as_json)
