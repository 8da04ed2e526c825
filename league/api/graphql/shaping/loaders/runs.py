"""Runs: the rules that hold in them, replays, and explanations of their numbers."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Concatenate, ParamSpec

from msgspec import Struct

from league.api.graphql.executing.context import Info
from league.domain.rulebook import canonical, content_hash
from league.domain.rules import Rulebook
from league.explanations.explanation import Basis, Explanation
from league.explanations.onward import SideBySide, explain_basis, side_by_side
from league.projections.boards.board import known_rulebook, rulebook_of
from league.projections.queries import candidates, catalogue
from league.projections.queries.candidates import Revision
from league.projections.queries.catalogue import EditionDocument, ReplayRow
from league.projections.queries.snapshot import Snapshot, snapshot_beside
from league.projections.runs import HashSpan

P = ParamSpec("P")
Explain = Callable[[Snapshot], Explanation]


async def edition(info: Info, hash_: str) -> EditionDocument:
    """The edition with the hash that a row refers to."""
    row = await info.context.reader.load(catalogue.editions_by_hash, hash_)
    assert row is not None, f"a row refers to a missing edition: {hash_}"
    return row


async def rulebook(info: Info, hash_: str) -> Rulebook:
    """The rules of the edition with the hash that a row refers to; a process reads each edition once."""
    return known_rulebook(hash_) or rulebook_of(hash_, (await edition(info, hash_)).document)


async def timeline(info: Info) -> list[HashSpan]:
    """The timeline of the run that is read."""
    return list(await info.context.reader.once(catalogue.timeline))


async def replay(info: Info, number: int) -> ReplayRow | None:
    """The replay with this number; None if there is none that the viewer may read."""
    return await info.context.reader.read(catalogue.replay, number, drafts=info.context.reads_drafts)


async def revision(info: Info, number: int) -> Revision:
    """What a replay changes."""
    return await info.context.reader.load(candidates.revisions, number) or Revision()


async def tried_rules(info: Info, number: int) -> EditionDocument | None:
    """The edition that a replay tries, published or not; None if it tries none."""
    rulebook = (await revision(info, number)).after
    return None if rulebook is None else await edition_of(info, content_hash(rulebook), rulebook)


async def edition_of(info: Info, hash_: str, rulebook: Rulebook) -> EditionDocument:
    """The edition with this hash and these rules. If it is not stored yet, the operation can load it afterwards."""
    reader = info.context.reader
    row = await reader.load(catalogue.editions_by_hash, hash_)
    if row is None:
        row = EditionDocument(hash_, None, rulebook.title, canonical(rulebook))
        reader.known(catalogue.editions_by_hash)[hash_] = row
    return row


class ExplainedInRun(Struct, frozen=True):
    """An explanation, the function that explains the same number in another run, and the run of this explanation."""

    found: Explanation
    explain: Explain
    run: int


class ExplainedInTwoRuns(Struct, frozen=True):
    """A number in two runs, the function that explains it in a run, and the numbers of the runs."""

    found: SideBySide
    explain: Explain
    runs: tuple[int, int]


async def explained(
    info: Info, explain: Callable[Concatenate[Snapshot, P], Explanation], *of: P.args, **_: P.kwargs
) -> ExplainedInRun:
    """The explanation that a function of `league.explanations` returns. Raises Refusal."""

    def ask(snapshot: Snapshot) -> Explanation:
        return explain(snapshot, *of)  # type: ignore[call-arg]  # they are given by position

    return await info.context.reader.read(lambda snapshot: ExplainedInRun(ask(snapshot), ask, snapshot.run))


async def beside(info: Info, explain: Explain, first: int | None, second: int) -> ExplainedInTwoRuns:
    """The number in two runs; `first` None: the official run, `second`: the one that was read. Raises NotFound."""
    drafts = info.context.reads_drafts

    def ask(snapshot: Snapshot) -> ExplainedInTwoRuns:
        before, after = snapshot_beside(snapshot, first, drafts=drafts), snapshot_beside(snapshot, second, drafts=True)
        return ExplainedInTwoRuns(side_by_side(explain, before, after), explain, (before.run, second))

    return await info.context.reader.read(ask)


async def onward(info: Info, run: int, basis: Basis) -> ExplainedInRun | None:
    """The explanation of a term's basis; None for a match as a whole, which explains itself."""
    found = await info.context.reader.load(_onward, (run, basis))
    return None if found is None else ExplainedInRun(found, partial(_again, basis), run)


def _onward(snapshot: Snapshot, wanted: Sequence[tuple[int, Basis]]) -> dict[tuple[int, Basis], Explanation]:
    """Explanations by run and basis. Many terms are based on the same hands, so each is explained once."""
    # Each has been read before, by an explanation that rests on it.
    runs = {run: snapshot if run == snapshot.run else snapshot_beside(snapshot, run, drafts=True) for run, _ in wanted}
    found: dict[tuple[int, Basis], Any] = {(run, basis): explain_basis(runs[run], basis) for run, basis in wanted}
    return {key: explanation for key, explanation in found.items() if explanation is not None}


def _again(basis: Basis, snapshot: Snapshot) -> Explanation:
    found = explain_basis(snapshot, basis)
    assert found is not None, "it was explained before"
    return found
