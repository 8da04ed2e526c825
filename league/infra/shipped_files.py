"""Files that ship with the program outside its package: the migrations, and the season of the demo."""

from pathlib import Path

from league.domain.sentences import say

PACKAGE = Path(__file__).parents[1]


class FileMissing(Exception):
    """The installation is incomplete: a file that ships with the program is missing."""


def shipped(path: str) -> Path:
    """A file or folder, by its path in the repository. A wheel has it inside the package, a checkout beside it.

    Raises FileMissing.
    """
    for found in (PACKAGE / path, PACKAGE.parent / path):
        if found.exists():
            return found
    raise FileMissing(
        say("{path} is neither in {package} nor beside it; install the program again", path=path, package=PACKAGE)
    )
