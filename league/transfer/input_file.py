"""Reads a file that somebody names, and says why it cannot be read."""

from pathlib import Path

from league.domain.refusals import InvalidInput, NotFound
from league.domain.sentences import say


def read_file(path: Path, at: str = "file") -> bytes:
    """The content of a file. Raises NotFound, InvalidInput, which name the option `at`."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise NotFound(at, "file", str(path)) from None
    except OSError as error:
        raise InvalidInput(at, say("{path} cannot be read: {reason}", path=path, reason=error.strerror)) from None
