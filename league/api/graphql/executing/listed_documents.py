"""Reads the documents that the operator lists, when the server starts."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import structlog
from graphql import GraphQLError, GraphQLSchema

from league.api.graphql.executing.documents import faults_of, parsed
from league.api.graphql.executing.persisted_documents import hash_of
from league.infra.settings import BadSetting
from league.wording.language import _

LIST = "LEAGUE_DOCUMENTS"

log = structlog.get_logger()


def documents_in(folder: Path | None) -> dict[str, str]:
    """The listed documents of a folder: JSON files from ids to documents, and GraphQL files of one document each.

    Raises BadSetting.
    """
    found: dict[str, str] = {}
    for file in _files(folder):
        try:
            content = file.read_text(encoding="utf-8-sig")  # without the mark of its encoding
        except (OSError, ValueError) as error:
            raise BadSetting(LIST, _("{file} cannot be read: {error}", file=file, error=error)) from error
        if file.suffix == ".json":
            read = _map(file, content)
        else:
            read = {hash_of(text): text for text in (content, content.strip())}
        for named, text in read.items():
            _check_syntax(file, named, text)
        found |= read
    return {hash_of(text): text for text in found.values()} | found


def warn_of_faults(listed: Mapping[str, str], schema: GraphQLSchema) -> None:
    """Log the documents that are not valid in this version: old clients may still send them."""
    names = {text: named for named, text in listed.items()}
    for text, named in names.items():
        if faults := faults_of(schema, text):
            log.warning("listed_document_not_valid", document=named, error=faults[0].message)


def _files(folder: Path | None) -> Iterable[Path]:
    if folder is None:
        return ()
    if folder.is_file():
        return (folder,)
    if not folder.is_dir():
        raise BadSetting(LIST, _("there is no folder {folder}", folder=folder))
    return sorted(file for file in folder.rglob("*") if file.suffix in {".json", ".graphql", ".gql"})


def _map(file: Path, content: str) -> dict[str, str]:
    try:
        read = json.loads(content)
    except ValueError as error:
        raise BadSetting(LIST, _("{file} is not JSON: {error}", file=file, error=error)) from error
    if not isinstance(read, dict) or not all(isinstance(text, str) for text in read.values()):
        raise BadSetting(LIST, _("{file} is not an object of ids with their documents", file=file))
    return read


def _check_syntax(file: Path, named: str, text: str) -> None:
    try:
        parsed(text)
    except GraphQLError as error:
        place = f", line {error.locations[0].line}" if error.locations else ""
        raise BadSetting(
            LIST,
            _("{file}, document {named}{place}: {message}", file=file, named=named, place=place, message=error.message),
        ) from error
