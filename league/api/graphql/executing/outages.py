"""Distinguishes a database that does not answer from a faulty statement; the same of the place of photos."""

from collections.abc import Mapping

from league.domain.sentences import Sentence, say
from league.eventlog.recorder import NOT_STORED, NotStored, StoreUnavailable, WasStored
from league.infra.database_reasons import SENTENCES, Reason, reason_of
from league.infra.photo_store import PhotosAway
from league.wording.language import _

LATER = say("{why}; try again later.")
NOTHING_STORED = say("{why}, so nothing was stored; try again later.")
"""Only for the store's own writes: a read may fail after its mutation was stored."""
PERHAPS_STORED = say(
    "{why}. It is not known whether this was stored. Send it again with the same idempotency key: it is stored once."
)
STORED = say("{why}. This was stored, but the answer could not be read; ask for it later.")
_BY_STORED: Mapping[WasStored | None, Sentence] = {
    None: LATER, "yes": STORED, "no": NOTHING_STORED, "unknown": PERHAPS_STORED,
}  # fmt: skip


def outage_message(error: BaseException | None, *, has_stored: bool = False) -> str | None:
    """What to tell a client when the database did not answer, or had no room, or refused events; else None.

    `has_stored`: the operation has appended its events before.
    """
    if isinstance(error, PhotosAway):
        return _("The place where photos are stored cannot be reached at the moment; try again later.")
    if isinstance(error, NotStored):
        return NOT_STORED
    reason, stored = _outage_of(error, has_stored=has_stored)
    return None if reason is None else say(_BY_STORED[stored], why=SENTENCES[reason])


def outage_extensions(error: BaseException | None, *, has_stored: bool = False) -> dict[str, str]:
    """The same for programs: `reason`, and for a mutation `stored`."""
    if isinstance(error, NotStored):
        return {"reason": "REFUSED", "stored": "NO"}
    reason, stored = _outage_of(error, has_stored=has_stored)
    found = {} if reason is None else {"reason": reason.upper()}
    return found if stored is None else {**found, "stored": stored.upper()}


def _outage_of(error: BaseException | None, *, has_stored: bool) -> tuple[Reason | None, WasStored | None]:
    after: WasStored | None = "yes" if has_stored else None
    if isinstance(error, StoreUnavailable):
        return error.reason, error.stored or after
    return reason_of(error), after
