"""Commands in the language that is spoken: their help, and what Typer itself says in English only."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from typer._click import Command, Context  # Typer's own copy of click, which it does not export
from typer._click.exceptions import BadParameter, ClickException, MissingParameter, NoSuchOption
from typer._click.formatting import HelpFormatter

from league.domain.nearest import nearest
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
            return _("Invalid value for {name}: {reason}", name=param.get_error_hint(), reason=_by_typer(error.message))
        case NoSuchOption(possibilities=options) if options:
            most_alike = ", ".join(sorted(options))
            return _("{message} (Possible options: {options})", message=_by_typer(error.message), options=most_alike)
    return _by_typer(error.format_message())


def _by_typer(said: str) -> str:
    """A sentence of Typer in the language that is spoken; one of ours as it is."""
    text = said.removeprefix("Value error, ")
    for template in TYPERS_SENTENCES:
        found = _pattern(template).fullmatch(text)
        if found is not None and template == ONE_OF:
            return _one_of(**found.groupdict())
        if found is not None:
            return _(template, **found.groupdict()) if found.groupdict() else _(template)
    return text


def _one_of(value: str, choices: str) -> str:
    """What the choices are, and which one was probably meant."""
    said = _(ONE_OF, value=value, choices=choices)
    near = nearest(value.strip("'"), re.findall(r"'([^']*)'", choices))
    return said if near is None else said + " " + _("The nearest is {nearest}.", nearest=repr(near))


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """What a sentence of this template matches."""
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(template)))


HELP_OF_TYPER = (
    say("Show this message and exit."),
    say("Install completion for the current shell."),
    say("Show completion for the current shell, to copy it or customize the installation."),
)
"""What Typer says of its own options."""

ONE_OF = say("{value} is not one of {choices}.")

TYPERS_SENTENCES = (
    say("No such command {name}."),
    say("No such command {name}. Did you mean {names}?"),
    say("Missing command."),
    say("No such option: {option}"),
    say("Got unexpected extra argument(s) ({arguments})"),
    say("Option {option} does not take a value."),
    say("Option {option} requires an argument."),
    say("Option {option} requires {count} arguments."),
    say("Argument {name} takes {count} values."),
    say("Value {value} is not a valid {label}."),
    ONE_OF,
    say("{label} {path} does not exist."),
    say("{label} {path} is a file."),
    say("{label} {path} is a directory."),
    say("{label} {path} is not readable."),
    say("{label} {path} is not writable."),
    say("Input should be a valid integer"),
    say("Input should be a valid integer, unable to parse string as an integer"),
    say("Input should be a valid number, unable to parse string as a number"),
    say("Input should be greater than or equal to {number}"),
    say("Input should be less than or equal to {number}"),
    say("Input should be greater than {number}"),
    say("Input should be less than {number}"),
)
"""What Typer says of arguments."""
