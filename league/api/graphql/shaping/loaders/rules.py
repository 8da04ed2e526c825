"""Editions of the rules, and the timeline of editions."""

from league.api.graphql.executing.context import Info
from league.domain.rules import Rulebook
from league.projections.display_rules import known_rulebook, rulebook_of
from league.projections.queries import catalogue as reads
from league.projections.queries.catalogue import EditionDocument
from league.projections.runs import HashSpan


async def edition(info: Info, hash_: str) -> EditionDocument:
    """The edition with the hash that a row refers to."""
    row = await info.context.reader.load(reads.editions_by_hash, hash_)
    assert row is not None, f"a row refers to a missing edition: {hash_}"
    return row


async def rulebook(info: Info, hash_: str) -> Rulebook:
    """The rules of the edition with the hash that a row refers to; a process reads each edition once."""
    return known_rulebook(hash_) or rulebook_of(hash_, (await edition(info, hash_)).document)


async def timeline(info: Info) -> list[HashSpan]:
    """The timeline of the run that is read."""
    return list(await info.context.reader.once(reads.timeline))
