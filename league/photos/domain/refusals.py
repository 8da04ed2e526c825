"""States of photos that do not allow a command."""

from typing import ClassVar

from league.domain.refusals import WrongState


class PhotosAreOff(WrongState):
    """The server stores no photos."""

    code: ClassVar[str] = "PHOTOS_OFF"


class EnoughPhotos(WrongState):
    """The hand has as many photos as one may."""

    code: ClassVar[str] = "ENOUGH_PHOTOS"


class BeingCounted(WrongState):
    """The photo is being counted."""

    code: ClassVar[str] = "BEING_COUNTED"


class NothingProposed(WrongState):
    """The computer could not count the photo."""

    code: ClassVar[str] = "NOTHING_PROPOSED"


class CountIsSettled(WrongState):
    """A person has settled the count."""

    code: ClassVar[str] = "COUNT_SETTLED"


class CountNotSettled(WrongState):
    """No person has settled the count of the photo."""

    code: ClassVar[str] = "COUNT_NOT_SETTLED"


class PhotoIsErased(WrongState):
    """The picture of the photo was erased."""

    code: ClassVar[str] = "PHOTO_ERASED"
