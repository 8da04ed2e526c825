"""Files of the first start: whole or not there, whatever interrupts it; and a secret that is cut off is refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from shutil import rmtree

import pytest
from waiting import LIMIT

from league.audit.signed_heads import signing_key_of
from league.infra.durable_files import SecretTooShort, secret_of, stored_secret, table_secret_of
from league.infra.embedded_postgres import NOTE, EmbeddedDatabaseFailed, _home
from league.infra.settings import Settings

READS = {"secret": secret_of, "table-secret": table_secret_of, "signing-key": signing_key_of}
FILES = list(READS)
START = """
    import os, resource, signal, sys
    from pathlib import Path
    from league.infra import embedded_postgres
    from league.infra.durable_files import stored_secret
    from league.infra.settings import Settings
    data_dir, name = Path(sys.argv[1]), sys.argv[2]
"""
KILLED = START + "    stored_secret(Settings(data_dir=data_dir), name, lambda: os.kill(os.getpid(), signal.SIGKILL))"
DISK_FULL = START + "    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
FULL_FOR_SECRET = DISK_FULL + "    stored_secret(Settings(data_dir=data_dir), name, lambda: 64 * 'x')"
FULL_FOR_NOTE = DISK_FULL + "    embedded_postgres._home(data_dir)"
AT_ONCE = START + "    print(stored_secret(Settings(data_dir=data_dir), name, lambda: os.urandom(32).hex()))"


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    """A process of the program."""
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(("code", "ends"), [(KILLED, -signal.SIGKILL), (FULL_FOR_SECRET, 1)])
def test_a_first_start_that_cannot_finish_leaves_no_secret(tmp_path: Path, name: str, code: str, ends: int) -> None:
    """Killed while it writes, or the disk is full: the next start makes a whole one."""
    process = start(code, tmp_path, name)
    process.communicate(timeout=LIMIT)
    assert process.returncode == ends
    assert not (tmp_path / name).exists()
    assert READS[name](Settings(data_dir=tmp_path))
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kept", ["", "\n", "x" * 31])
def test_a_secret_that_is_cut_off_is_refused(tmp_path: Path, name: str, kept: str) -> None:
    """Tokens signed with it could be forged. The error names the file and what to do."""
    (tmp_path / name).write_text(kept)
    with pytest.raises(SecretTooShort, match=f"{name}.*at least 32") as refused:
        READS[name](Settings(data_dir=tmp_path))
    assert (refused.value.path, refused.value.length) == (tmp_path / name, len(kept.strip()))
    assert (tmp_path / name).read_text() == kept


@pytest.mark.heavy
def test_processes_that_start_at_once_have_one_secret(tmp_path: Path) -> None:
    """The first one makes it, and the file is never replaced."""
    processes = [start(AT_ONCE, tmp_path, "secret") for _ in range(4)]
    printed = {process.communicate(timeout=LIMIT)[0].strip() for process in processes}
    assert printed == {stored_secret(Settings(data_dir=tmp_path), "secret", lambda: "y" * 32)}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a note")
def test_a_note_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    """A start on a full disk leaves neither half a note nor a folder that no note names; the next one writes it."""
    before = set(Path("/var/lib").glob("league-*"))
    process = start(FULL_FOR_NOTE, tmp_path, "")
    assert "EmbeddedDatabaseFailed: cannot write" in process.communicate(timeout=LIMIT)[1]
    assert not (tmp_path / NOTE).exists()
    made = _home(tmp_path)
    try:
        assert set(Path("/var/lib").glob("league-*")) <= before | {made}
        assert _home(tmp_path) == made
    finally:
        rmtree(made)


@pytest.mark.parametrize("note", ["", "PostgreSQL does not run as root, so the da"])
def test_a_note_that_is_cut_off_is_refused(tmp_path: Path, note: str) -> None:
    """It says which file it is; the league is not begun anew in another folder."""
    (tmp_path / NOTE).write_text(note)
    with pytest.raises(EmbeddedDatabaseFailed, match=f"{NOTE} does not end with the folder"):
        _home(tmp_path)
