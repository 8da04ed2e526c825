"""The digest of the official league, as a file: what is given out, and what an exported log is compared with."""

from pathlib import Path

from msgspec import Struct

from league.audit.exact_json import read_exactly
from league.domain.refusals import InvalidInput, WrongState
from league.infra.database import connect
from league.projections import runs
from league.projections.digest import run_digest

OFFICIAL = "SELECT run, position, code, hold_run(run) FROM official_run JOIN runs USING (run)"


class Digest(Struct, frozen=True):
    """What tells whether two people have the same ratings, standings and badges; no name is part of it."""

    position: int
    """Of the last event that it takes in."""
    folds: str
    """The version of the folds (`runs.FOLDS`); of two versions nothing can be compared."""
    digest: str
    """Hexadecimal."""


def official_digest(url: str) -> Digest:
    """The digest of the rows that people read. Raises WrongState before there are any."""
    while True:
        with connect(url) as conn:
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            row = conn.execute(OFFICIAL).fetchone()
            if row is None:
                raise WrongState("the league", "not projected yet", "`league project` folds it")
            run, position, code, held = row
            if held:  # another run has just taken its place otherwise
                return Digest(runs.last_folded(conn, position), code, run_digest(conn, run))


def digest_in(file: Path) -> Digest:
    """The digest in a file. Raises InvalidInput."""
    try:
        return read_exactly(file.read_bytes(), Digest)
    except FileNotFoundError:
        raise InvalidInput("digest", f"{file} is not there") from None
    except (OSError, ValueError) as error:
        raise InvalidInput("digest", f"{file}: {error}") from error
