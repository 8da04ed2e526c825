"""Findings in words: of `league verify`, and of the difference of two runs.

`league verify` gives a verdict on each part of the log, the coverage, and what trust in it depends on.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import asdict

from league.audit.database_checks import NOT_CHECKED
from league.audit.shadow_rebuild import REBUILD, RunComparison
from league.audit.signed_heads import LogHead
from league.audit.verification import MOST_LISTED, JudgedPart, LogReport, VerificationFault
from league.domain.sentences import joined, say, say_count
from league.projections.difference.two_runs import TwoRuns

NO_HEAD = say(
    "no head kept outside was given (--heads): a writer of the database could have rewritten the "
    "log and its heads, or dropped the last events"
)
NO_KEY = say("no public key was given (--public-key): the signer of the heads is not checked")

EXAMPLES = 3
"""Ids that a note names."""


class VerificationInputs(Struct, frozen=True):
    """What the log is checked against."""

    kept: list[LogHead]
    """Heads kept outside."""
    trusted: list[bytes]
    """Public keys. If there are none, signatures by every key count."""
    stored: list[LogHead] | None = None
    """Heads in the database; None if there is no database."""

    @property
    def heads(self) -> list[LogHead]:
        """All heads, each once."""
        return list(dict.fromkeys([*self.kept, *(self.stored or [])]))

    def since(self, position: int) -> "VerificationInputs":
        """These inputs without the heads of positions before this one: the log before it is not read."""
        kept, stored = ([h for h in heads if h.position >= position] for heads in (self.kept, self.stored or []))
        return VerificationInputs(kept, self.trusted, None if self.stored is None else stored)


class PartVerdict(Struct, frozen=True):
    """The result of the check of one part."""

    ok: bool | None
    """None if the part was not checked."""
    says: str
    """What was checked, or why it was not."""


class VerificationFindings(Struct, frozen=True):
    """All findings of a verification."""

    log: LogReport
    outside: int
    """How many of the heads kept outside agree with the log."""
    folded: RunComparison | None
    verdicts: dict[JudgedPart, PartVerdict]
    faults: list[VerificationFault]
    notes: list[str]


def judged(
    report: LogReport,
    given: VerificationInputs,
    more_faults: Sequence[VerificationFault],
    more_verdicts: Mapping[JudgedPart, PartVerdict],
    *,
    more_notes: Sequence[str] = (),
    folded: RunComparison | None = None,
) -> VerificationFindings:
    """All findings: those on the log and its heads, and those on the other parts."""
    faults = [*report.faults, *_no_signer(given), *_deleted_heads(report, given), *more_faults]
    kept = set(given.kept)
    outside = [head for head in report.agreed if head in kept]
    verdicts: dict[JudgedPart, PartVerdict] = {
        "log": _log_verdict(report),
        "heads": _heads_verdict(report, given, len(outside), faults),
        **more_verdicts,
    }
    notes = [*_notes(report, given, outside, folded), *more_notes]
    return VerificationFindings(report, len(outside), folded, verdicts, faults, notes)


def _no_signer(given: VerificationInputs) -> Iterator[VerificationFault]:
    """A fault if no head is signed by a given key. If there are heads kept outside, only those count."""
    if given.trusted and not any(head.key in given.trusted for head in given.kept or given.stored or []):
        yield VerificationFault("signer", say("no head is signed by one of the given keys; at least one must be"))


def _deleted_heads(report: LogReport, given: VerificationInputs) -> Iterator[VerificationFault]:
    """A fault for each good head kept outside that the database lacks: the league never deletes a head."""
    if given.stored is None:
        return
    stored, agreed = set(given.stored), set(report.agreed)
    for head in dict.fromkeys(given.kept):
        if head in agreed and head not in stored:
            says = say(
                "the head of {signed_at:%Y-%m-%d %H:%M:%S} UTC was kept outside, but is not in the database",
                signed_at=head.signed_at,
            )
            yield VerificationFault("deleted", says, head.position)


def _log_verdict(report: LogReport) -> PartVerdict:
    of = {"events": report.events, "after": report.after, "hex": report.hash.hex()}
    if holds("log", report.faults) and report.after:
        says = say(
            "the {count} events after position {after} are in order and chained to the head there; the last has the "
            "hash {hex}; the events up to {after} were not read",
            count=report.events - report.after,
            **of,
        )
        return PartVerdict(True, says)
    if holds("log", report.faults):
        says = say("{events} events are in order and chained; the last has the hash {hex}", **of)
        return PartVerdict(True, says)
    return PartVerdict(False, say("{events} events fit together from the first on; the faults are listed below", **of))


def _heads_verdict(
    report: LogReport, given: VerificationInputs, outside: int, faults: Sequence[VerificationFault]
) -> PartVerdict:
    counting = len(given.heads) - len(report.strangers)
    if not counting:
        says = say("no head counts")
    elif not report.agreed:
        says = say("none of {counting} agrees with the log", counting=counting)
    else:
        last = report.agreed[-1]
        says = say(
            "{count} of {counting} agree with the log, {outside} of them kept outside; the last, of "
            "{signed_at:%Y-%m-%d %H:%M} UTC, signs position {position}",
            count=len(report.agreed),
            counting=counting,
            outside=outside,
            signed_at=last.signed_at,
            position=last.position,
        )
    if not holds("heads", faults):
        return PartVerdict(False, says)
    return PartVerdict(True if report.agreed else None, says)


def tables_verdict(folded: RunComparison) -> PartVerdict:
    """The verdict on the read tables."""
    if folded.faults:
        says = say("the official league (run {run}, position {position}) differs from the log", **asdict(folded))
        return PartVerdict(False, joined("; ", (says, REBUILD)) if folded.rebuild_mends else says)
    return PartVerdict(
        True,
        say(
            "the official league (run {run}, position {position}) is what the log folds to: digest {digest}; rows "
            "written with their events are what these say; the journal leads to its ratings without a gap, but what "
            "caused each step is not checked",
            **asdict(folded),
        ),
    )


def keys_verdict(found: int) -> PartVerdict:
    """The verdict on the keys that open names. `found`: how many are wrong."""
    if found:
        return PartVerdict(False, say("{count} keys or names are not as they should be", count=found))
    return PartVerdict(
        True, say("each player who is not erased has the key that opens their names; no erased player has one")
    )


def requests_verdict(found: int) -> PartVerdict:
    """The verdict on the records of requests. `found`: how many are wrong."""
    if found:
        return PartVerdict(False, say("{found} records of requests are not as the log says", found=found))
    return PartVerdict(
        True, say("each idempotency key leads to the last event of its request; {not_checked}", not_checked=NOT_CHECKED)
    )


def schema_verdict(found: int) -> PartVerdict:
    """The verdict on the objects of the database. `found`: how many differ from what the migrations make."""
    if found:
        return PartVerdict(False, say("{found} objects or rights are not as the migrations make them", found=found))
    return PartVerdict(True, say("tables, triggers, functions, rules and rights are as the migrations make them"))


def unused_keys_note(streams: Sequence[str]) -> str:
    """A note on keys of players and members whom the log does not know."""
    return say(
        "keys of players and members whom the log does not know: {count} ({streams}); a refused registration "
        "leaves a key, but a person who planted one can read the name that is sealed with it later",
        count=len(streams),
        streams=", ".join([*streams[:EXAMPLES], *(["…"] if len(streams) > EXAMPLES else [])]),
    )


def publications_note(names: Sequence[str]) -> str:
    """A note on publications that send tables of the league to other servers."""
    return say(
        "publications that send tables of the league to other servers: {names}; the migrations make none",
        names=", ".join(names),
    )


def export_verdict(folded: RunComparison, *, compared: bool) -> PartVerdict:
    """The verdict on the digest of an exported log. `compared`: whether it was compared with the official league's."""
    if folded.faults:
        return PartVerdict(False, say("the official league differs from what the log folds to"))
    if not compared:
        return PartVerdict(
            None,
            say(
                "the log folds to the digest {digest} (position {position}); it was not compared with the official "
                "league (--digest, from `league digest`)",
                **asdict(folded),
            ),
        )
    says = say("the official league (position {position}) is what the log folds to: {digest}", **asdict(folded))
    return PartVerdict(True, says)


def _notes(
    report: LogReport, given: VerificationInputs, outside: Sequence[LogHead], folded: RunComparison | None
) -> Iterator[str]:
    if report.unlisted:
        count = report.unlisted
        yield say("{count} more events are bad; only the first {listed} are listed", count=count, listed=MOST_LISTED)
    if not given.kept:
        yield NO_HEAD
    elif outside and outside[-1].position < report.events and holds("log", report.faults):
        yield say("no head kept outside signs the events after position {position}", position=outside[-1].position)
    if not given.trusted and report.agreed:
        yield NO_KEY
    if report.strangers:
        keys = ", ".join(sorted({head.key.hex() for head in report.strangers}))
        count = len(report.strangers)
        yield say_count(
            "{count} head does not count, by keys that were not given (--public-key): {keys}",
            "{count} heads do not count, by keys that were not given (--public-key): {keys}",
            count,
            keys=keys,
        )
    if folded is not None and folded.position > report.events:
        yield say(
            "events after position {events} came meanwhile: they are folded, but their chain is not checked",
            events=report.events,
        )


def holds(part: JudgedPart, faults: Sequence[VerificationFault]) -> bool:
    """Whether none of the faults is in this part."""
    return all(fault.part != part for fault in faults)


# ---------------------------------------------------------------- the difference of two runs


def position_warning(two: TwoRuns) -> str | None:
    """A warning if the runs are folded up to different positions; None if they are not."""
    events = two.events_in_one_run
    if events is None:
        return None
    first, last = events
    behind = two.first if two.first_position < two.second_position else two.second
    if first == last:
        text = say(
            "Replay {behind} does not count event {event} of the log, and the other side does. It may be the cause of "
            "differences, and not the rules: compute the replay again."
        )
    else:
        text = say(
            "Replay {behind} does not count events {event} to {last} of the log, and the other side does. They may be "
            "the cause of differences, and not the rules: compute the replay again."
        )
    return say(text, event=first, last=last, behind=behind)
