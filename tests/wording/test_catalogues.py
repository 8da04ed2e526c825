"""The catalogues: every text of the program has a translation, and the compiled files are those of the texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Message

from league.domain.bonuses import HAND_TERMS
from league.domain.sentences import LANGUAGES, say, say_count
from league.projections.boards.definitions import BOARDS
from league.projections.folds.badges import BADGES
from league.wording.language import CATALOGUES, speaking, spoken
from league.wording.make_catalogues import SOURCES, collected, compiled, read, written

TRANSLATED = [language for language in LANGUAGES if language != "en"]
PLACEHOLDER = re.compile(r"\{(\w*)")
SAID = (
    "InvalidInput", "WrongState", "Problem", "BadSetting", "RequestError", "UnknownId", "BadToken",
    "InvalidCursor", "Fault",
)  # fmt: skip
"""The calls that take a text for a person, which must be a sentence and not a bare literal."""


def messages(language: str) -> Iterator[Message]:
    return (message for message in read(language) if message.id)


def forms(text: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


@pytest.fixture(scope="module")
def texts() -> set[str | tuple[str, ...]]:
    """The texts of the program, each with its plural."""
    return {message.id for message in collected() if message.id}  # type: ignore[misc]  # a plural is a tuple


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_text_of_the_program_is_translated(language: str, texts: set[str | tuple[str, ...]]) -> None:
    """The catalogues have exactly these texts, in every plural form. `make catalogues` adds missing ones."""
    assert {message.id for message in messages(language)} == texts
    assert [message.id for message in messages(language) if not all(forms(message.string or ""))] == []
    assert [message.id for message in messages(language) if message.fuzzy] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_has_the_values_of_its_text(language: str) -> None:
    """The names of the values are the same. The form for one may leave out the number."""
    for message in messages(language):
        wanted = set(PLACEHOLDER.findall(forms(message.id)[-1]))
        *others, last = (set(PLACEHOLDER.findall(form)) for form in forms(message.string))
        assert last == wanted, message.id
        assert all(wanted - {"count"} <= other <= wanted for other in others), message.id


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_files_are_those_that_make_writes(language: str) -> None:
    """They have no dates and no paths of a machine, and the compiled file is up to date."""
    folder = CATALOGUES / language / "LC_MESSAGES"
    assert (folder / "league.po").read_bytes() == written(read(language))
    assert (folder / "league.mo").read_bytes() == compiled(read(language))


def test_texts_are_said_with_their_values() -> None:
    """The form fits the number. A text that is in no catalogue stays English."""
    with speaking("es"):
        assert spoken(say_count("{count} match", "{count} matches", 1)) == "1 partida"
        assert spoken(say_count("{count} match", "{count} matches", 2)) == "2 partidas"
        assert spoken(say("Match {match} was voided.", match="m1")) == "La partida m1 se anuló."
        assert spoken(say("")) == ""
        assert spoken(say("no catalogue has {this}", this=1)) == "no catalogue has 1"


def words_of_rules() -> Iterator[str]:
    """The words of the registries: of the terms of a hand, of boards, of badges."""
    for term in HAND_TERMS.values():
        yield term.label
    for board in BOARDS.values():
        yield from (board.title, board.unit, board.heading)
    for badge in BADGES.values():
        yield from (badge.one, badge.many, *badge.settings.values())


def test_the_words_of_every_rule_are_texts_of_the_program(texts: set[str | tuple[str, ...]]) -> None:
    """A catalogue collects what `say()` marks; other words would stay English in every language."""
    said = {form for text in texts for form in forms(text)}
    assert [words for words in words_of_rules() if words not in said] == []


PRINTED = ("print", "rule", "echo", "table", "progress", "working")
"""The calls that show their first argument to a person at a terminal."""
MARKUP = re.compile(r"\[[^\]]*\]|`[^`]*`|\bleague\b")


def bare_texts(file: Path) -> Iterator[str]:
    """Calls that are given a text for a person as a literal."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or getattr(node.func, "id", getattr(node.func, "attr", "")) not in SAID:
            continue
        for argument in node.args:
            text = "".join(
                one.value for one in ast.walk(argument) if isinstance(one, ast.Constant) and isinstance(one.value, str)
            )
            if isinstance(argument, ast.Constant | ast.JoinedStr) and text.count(" ") > 1:
                yield f"{file.relative_to(SOURCES)}:{argument.lineno} {text}"


@pytest.mark.heavy
def test_no_refusal_is_made_of_a_bare_literal() -> None:
    """A bare literal could not be translated."""
    assert [text for file in sorted(SOURCES.rglob("*.py")) for text in bare_texts(file)] == []


def literals(node: ast.AST) -> Iterator[str]:
    """The literals that an expression shows as they are, not those that it gives to a function or looks up."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*literals(node.body), *literals(node.orelse))
    elif isinstance(node, ast.FormattedValue):
        yield from literals(node.value)
    elif isinstance(node, ast.JoinedStr | ast.BinOp):
        for part in ast.iter_child_nodes(node):
            yield from literals(part)


def bare_words(file: Path) -> Iterator[str]:
    """Words that a command would show in English in every language."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
            continue
        to_terminal = ast.unparse(node.func.value) in (
            "terminal",
            "terminal.out",
            "terminal.err",
            "out",
            "err",
            "typer",
        )
        if node.func.attr in PRINTED and to_terminal:
            for text in literals(node.args[0]):
                if re.search(r"[a-z]{3}", MARKUP.sub("", text)):
                    yield f"{file.relative_to(SOURCES)}:{node.lineno} {text}"


def test_no_command_prints_a_bare_literal() -> None:
    """This includes parts of formatted texts. Commands to type stand between backticks."""
    assert [text for file in sorted(SOURCES.rglob("cli/*.py")) for text in bare_words(file)] == []
