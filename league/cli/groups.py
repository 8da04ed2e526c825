"""Groups of commands in which the most common one may be left out: `league player Ana` is `league player show Ana`."""

from typing import ClassVar

from typer._click import Context  # Typer's own copy of click, which it does not export

from league.cli.spoken_commands import SpokenGroup


class _GroupWithDefault(SpokenGroup):
    """What begins with no name of a command goes to the command `default`; `--help` stays the group's."""

    default: ClassVar[str]

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Put the name of the default command before arguments that name none."""
        if self.is_shorthand(args):
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def is_shorthand(self, args: list[str]) -> bool:
        """Whether the name of the command was left out."""
        return bool(args) and args[0] not in self.commands and args[0] != "--help"


class ShowByDefault(_GroupWithDefault):
    """A group whose default is `show`."""

    default = "show"


class RecordByDefault(_GroupWithDefault):
    """A group whose default is `record`."""

    default = "record"

    def is_shorthand(self, args: list[str]) -> bool:
        """Also without any argument: the match is found, or asked for."""
        return not args or super().is_shorthand(args)
