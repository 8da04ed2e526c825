"""Permissions and refusal codes of photos, and the addresses to which pictures are uploaded."""

from league.api.auth.reach import ADMIN, PLAYER, AccessPart

LARGEST = 10 * 1024 * 1024
"""Limit on the bytes of a picture."""

ERROR_CODES = {
    "PHOTOS_OFF": "The server stores no photos: hide the upload; an operator sets it up.",
    "ENOUGH_PHOTOS": "The hand has as many photos as one may: erase one first.",
    "BEING_COUNTED": "The photo is being counted: wait for the proposal, or give the tiles.",
    "NOTHING_PROPOSED": "The computer could not count the photo: give the tiles or their pips.",
    "COUNT_SETTLED": "A person has settled the count: read the photo again; correct the count if it is wrong.",
    "COUNT_NOT_SETTLED": "No person has settled the count of the photo: confirm or correct it first.",
    "PHOTO_ERASED": "The picture of the photo was erased: upload another one.",
}

ACCESS = AccessPart(
    permissions={
        "uploadPhoto": PLAYER,
        "confirmPhoto": PLAYER,
        "correctPhotoCount": PLAYER,
        "erasePhoto": ADMIN,
        "readPhoto": {"admin": "any", "scorekeeper": "any", "auditor": "any", "player": "own"},
    },
    error_codes=ERROR_CODES,
    uploads={
        "/photos": LARGEST,
        "/record/photo": LARGEST,  # the form of the console, which takes the same file with a cookie
    },
)
