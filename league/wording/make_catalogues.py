"""`make catalogues`: collects the sentences of the program, updates the catalogues with them, and compiles them."""

import ast
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from jinja2.ext import babel_extract

from league.domain.sentences import LANGUAGES
from league.wording.language import CATALOGUES

SOURCES = Path(__file__).parents[1]
ONE, COUNTED = "say", "say_count"
"""The functions whose first argument is a text, and those with a text for one and a text for many."""
EACH = "say_each"
"""The function whose arguments are all texts."""
HINT = "# Translators: "
NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)
"""The date that Babel writes into compiled files, fixed so that the files are the same whenever they are made."""


class CatalogueText(NamedTuple):
    """A text of the program, or a pair of texts, for one and for many."""

    text: str | tuple[str, str]
    file: str
    hint: str | None


def texts_of(file: Path) -> Iterator[CatalogueText]:
    """The texts to translate in a Python module."""
    source = file.read_text(encoding="utf-8")
    lines, place = source.splitlines(), str(file.relative_to(SOURCES.parent))
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            above = lines[node.lineno - 2].strip() if node.lineno > 1 else ""
            hint = above.removeprefix(HINT) if above.startswith(HINT) else None
            yield from (CatalogueText(text, place, hint) for text in _texts_in(node))


def texts_of_template(file: Path) -> Iterator[CatalogueText]:
    """The texts to translate in the template of a page."""
    place = str(file.relative_to(SOURCES.parent))
    with file.open("rb") as source:
        for _line, _name, arguments, _hints in babel_extract(source, (ONE, COUNTED), (), {}):
            given = (arguments,) if isinstance(arguments, str) else arguments or ()
            match [text for text in given if text is not None]:
                case [text]:
                    yield CatalogueText(text, place, None)
                case [one, many]:
                    yield CatalogueText((one, many), place, None)


def _texts_in(call: ast.Call) -> Iterator[str | tuple[str, str]]:
    """The texts that a call names: its own, or the headings of a table."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in (ONE, COUNTED):
        constants = [one.value for one in call.args[:2] if isinstance(one, ast.Constant)]
        texts = [text for text in constants if isinstance(text, str)]
        if name == ONE and texts:
            yield texts[0]
        elif name == COUNTED and len(texts) == len(constants) == 2:  # noqa: PLR2004  # for one and for many
            yield texts[0], texts[1]
    elif name == EACH:
        yield from (ast.literal_eval(one) for one in call.args)
    elif name == "table" and len(call.args) > 1:
        for inner in ast.walk(call.args[1]):
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and inner.value:
                yield inner.value


def collected() -> Catalog:
    """All texts of the program, without translations."""
    catalogue = Catalog(fuzzy=False)
    for file in sorted(SOURCES.rglob("*.py")):
        for found in texts_of(file):
            hints = [found.hint] if found.hint else []
            catalogue.add(found.text, locations=[(found.file, 0)], auto_comments=hints)
    for file in sorted(SOURCES.rglob("console/**/*.html")):
        for found in texts_of_template(file):
            catalogue.add(found.text, locations=[(found.file, 0)])
    revisions = (SOURCES.parent / "examples" / "revisions").glob("*.toml")
    for document in sorted([*(SOURCES / "rulebook").glob("*.toml"), *revisions]):
        for text in _titles(tomllib.loads(document.read_text(encoding="utf-8"))):
            catalogue.add(text)
    return catalogue


def _titles(table: Mapping[str, Any]) -> Iterator[str]:
    """The titles and descriptions of a shipped rulebook or example. Rulebooks that clubs write are not translated."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _titles(value)
        elif key in ("title", "description"):
            yield value


def read(language: str) -> Catalog:
    """The catalogue of a language."""
    with (CATALOGUES / language / "LC_MESSAGES" / "league.po").open("rb") as file:
        return read_po(file, locale=language)


def written(catalogue: Catalog) -> bytes:
    """A catalogue as text, the same wherever it is made."""
    buffer = BytesIO()
    write_po(buffer, catalogue, width=110, omit_header=True, sort_output=True, include_lineno=False, no_location=True)
    header = f'msgid ""\nmsgstr ""\n"Language: {catalogue.locale}\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n'
    return f'{header}"Plural-Forms: {catalogue.plural_forms}\\n"\n\n'.encode() + buffer.getvalue()


def compiled(catalogue: Catalog) -> bytes:
    """A catalogue as the program reads it."""
    catalogue.creation_date = catalogue.revision_date = NO_DATE
    buffer = BytesIO()
    write_mo(buffer, catalogue)
    return buffer.getvalue()


def main() -> None:
    """Update and compile every catalogue; texts without a translation stay empty in it."""
    found = collected()
    for language in LANGUAGES:
        if language == "en":
            continue
        folder = CATALOGUES / language / "LC_MESSAGES"
        catalogue = read(language)
        catalogue.update(found, no_fuzzy_matching=True)
        catalogue.obsolete.clear()
        (folder / "league.po").write_bytes(written(catalogue))
        (folder / "league.mo").write_bytes(compiled(read(language)))


if __name__ == "__main__":
    main()
