"""Commands in the language that is spoken: their help, and what Typer itself says in English only."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

from typer._click import Command, Context  # Typer's own copy of click, which it does not export
from typer._click.exceptions import (
    BadOptionUsage,
    BadParameter,
    ClickException,
    MissingParameter,
    NoSuchOption,
    UsageError,
)
from typer._click.formatting import HelpFormatter
from typer.core import TyperCommand, TyperGroup

from league.domain.nearest import nearest
from league.domain.readable_text import escaped
from league.domain.sentences import LANGUAGES, Language, say
from league.infra.settings import BadSetting, language_of
from league.wording.language import _, language, paragraphs, spoken


def wanted_language(arguments: Sequence[str], environ: Mapping[str, str]) -> Language:
    """The language of a command line, known before the command is made. What is wrong with it is said later."""
    before = arguments[: next((at for at, word in enumerate(arguments) if not _is_option(arguments, at, word)), None)]
    named = [before[at + 1] for at, word in enumerate(before[:-1]) if word == "--language"]
    given = [word.removeprefix("--language=") for word in before if word.startswith("--language=")]
    for known in LANGUAGES:
        if known in (*named, *given):
            return known
    try:
        return language_of(environ)
    except BadSetting:
        return "en"


def _is_option(arguments: Sequence[str], at: int, word: str) -> bool:
    """Whether a word is an option of `league` itself, or the value of `--language`."""
    return word.startswith("-") or (at > 0 and arguments[at - 1] == "--language")


def in_language(command: Command) -> Command:
    """The command with its help, and that of its subcommands, in the language that is spoken."""
    command.help = command.help and "\n\n".join(map(_, paragraphs(command.help)))
    command.options_metavar = command.options_metavar and _("[OPTIONS]")
    help_option = command.get_help_option(Context(command))
    for param in [*command.params, *([help_option] if help_option is not None else [])]:
        for name in ("help", "metavar"):
            if getattr(param, name, None):
                setattr(param, name, _(getattr(param, name)))
    for inner in getattr(command, "commands", {}).values():
        in_language(inner)
    return command


class SpokenFormatter(HelpFormatter):
    """Formats the line of usage."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write it under its word in the language."""
        super().write_usage(prog, args, _("Usage: ") if prefix is None else prefix)


def teach_typer() -> None:
    """Give Typer its words in the language that is spoken."""
    from typer import rich_utils  # noqa: PLC0415  # imports rich, which not every command prints with

    Context.formatter_class = SpokenFormatter
    for name, words in TITLES.items():
        setattr(rich_utils, name, spoken(words))


TITLES = {
    "DEPRECATED_STRING": say("(deprecated) "),
    "DEFAULT_STRING": say("[default: {}]"),
    "ENVVAR_STRING": say("[env var: {}]"),
    "REQUIRED_LONG_STRING": say("[required]"),
    "ARGUMENTS_PANEL_TITLE": say("Arguments"),
    "OPTIONS_PANEL_TITLE": say("Options"),
    "COMMANDS_PANEL_TITLE": say("Commands"),
    "ERRORS_PANEL_TITLE": say("Error"),
    "ABORTED_TEXT": say("Aborted."),
    "RICH_HELP": say("Try [blue]'{command_path} {help_option}'[/] for help."),
}
"""By Typer's names for them, its words around a help page."""


def in_language_too(error: ClickException) -> None:
    """Let an error of the arguments say itself in the language that is spoken, and name the nearest choice."""
    if language() != "en" or isinstance(error, BadParameter):
        said = _message(error)
        error.format_message = lambda: said  # type: ignore[method-assign]  # Typer prints what it returns


def _message(error: ClickException) -> str:
    match error:
        case MissingParameter(param=param) if param is not None:
            kind = _("Missing argument {name}.") if param.param_type_name == "argument" else _("Missing option {name}.")
            more = param.get_missing_message(ctx=error.ctx) if error.ctx is not None else None
            return " ".join(filter(None, [kind.format(name=param.get_error_hint()), more]))
        case BadParameter(param=param) if param is not None:
            return _("Invalid value for {name}: {reason}", name=param.get_error_hint(), reason=_reason(error, param))
        case NoSuchOption(option_name=option, possibilities=options):
            said = _("No such option: {option}", option=escaped(option))
            most_alike = ", ".join(sorted(options or ()))
            return (
                said if not options else _("{message} (Possible options: {options})", message=said, options=most_alike)
            )
        case BadOptionUsage(option_name=option, ctx=context) if context is not None:
            takes_none = any(
                option in param.opts and getattr(param, "is_flag", False) for param in context.command.params
            )
            if takes_none:
                return _("Option {option} does not take a value.", option=repr(option))
            return _("Option {option} requires an argument.", option=repr(option))
    return error.format_message()


def _reason(error: BadParameter, param: Any) -> str:
    """What is wrong with a value: one of pydantic's findings, or what our own function says that reads the option."""
    found = error.__cause__
    from pydantic import ValidationError  # noqa: PLC0415  # slow to import, and only for errors

    if not isinstance(found, ValidationError):
        return error.message
    first = found.errors()[0]
    if param.type_descriptor.is_choice:
        return _one_of(str(first["input"]), [str(choice) for choice in param.type_descriptor.choices])
    if first["type"] in FINDINGS:
        return _(FINDINGS[first["type"]], **{name: str(value) for name, value in first.get("ctx", {}).items()})
    return escaped(str(first.get("ctx", {}).get("error", first["msg"])))


def _one_of(value: str, choices: list[str]) -> str:
    """What the choices are, and which one was probably meant."""
    said = _("{value} is not one of {choices}.", value=repr(value), choices=", ".join(map(repr, choices)))
    near = nearest(value, choices)
    return said if near is None else said + " " + _("The nearest is {nearest}.", nearest=repr(near))


@contextmanager
def _told_where(ctx: Context) -> Iterator[None]:
    """Tell an error of the parser which command has the option: Typer leaves that out."""
    try:
        yield
    except BadOptionUsage as error:
        error.ctx = error.ctx or ctx
        raise


class SpokenCommand(TyperCommand):
    """A command that refuses arguments too many in the language that is spoken."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse them. Raises UsageError."""
        ctx.allow_extra_args = True  # Typer refuses them in English
        with _told_where(ctx):
            more = super().parse_args(ctx, args)
        if more:
            arguments = escaped(" ".join(more))
            raise UsageError(_("Got unexpected extra argument(s) ({arguments})", arguments=arguments), ctx)
        return more


class SpokenGroup(TyperGroup):
    """A group that refuses unknown commands in the language that is spoken."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse its own options. Raises UsageError."""
        with _told_where(ctx):
            return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """The command that is called. Raises UsageError."""
        name = args[0]
        if name in self.commands or name.startswith("-"):
            return super().resolve_command(ctx, args)
        alike = get_close_matches(name, self.commands)
        if not alike:
            raise UsageError(_("No such command {name}.", name=repr(name)), ctx)
        names = ", ".join(map(repr, alike))
        raise UsageError(_("No such command {name}. Did you mean {names}?", name=repr(name), names=names), ctx)


HELP_OF_TYPER = (
    say("Show this message and exit."),
    say("Install completion for the current shell."),
    say("Show completion for the current shell, to copy it or customize the installation."),
)
"""What Typer says of its own options."""

FINDINGS = {
    "int_parsing": say("Input should be a valid integer, unable to parse string as an integer"),
    "int_from_float": say("Input should be a valid integer"),
    "float_parsing": say("Input should be a valid number, unable to parse string as a number"),
    "greater_than_equal": say("Input should be greater than or equal to {ge}"),
    "less_than_equal": say("Input should be less than or equal to {le}"),
    "greater_than": say("Input should be greater than {gt}"),
    "less_than": say("Input should be less than {lt}"),
}
"""What pydantic finds wrong with a number, by its names for it."""
