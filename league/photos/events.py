"""The names under which the log stores the events of photos."""

from league.eventlog.records import EventKind, EventPart
from league.photos.domain import photo

EVENTS = EventPart(
    kinds=(
        EventKind("photo-uploaded/1", photo.PhotoUploaded, is_folded=False, boards="none"),
        EventKind("photo-count-proposed/1", photo.CountProposed, is_folded=False, boards="none"),
        EventKind("photo-count-confirmed/1", photo.CountConfirmed, is_folded=False, boards="none"),
        EventKind("photo-count-corrected/1", photo.CountCorrected, is_folded=False, boards="none"),
        EventKind("photo-erased/1", photo.PhotoErased, is_folded=False, boards="none"),
    ),
)
"""The newest version of each event. No fold of the league reads them."""
