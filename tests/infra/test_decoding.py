"""Files are decoded in processes that come to an end, whatever is in the files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from waiting import wait_until

from league.domain.refusals import InvalidInput
from league.infra.decoding import (
    LIMITS_MEMORY,
    DecoderDied,
    DecodingLimits,
    DecodingProcess,
    DecodingTask,
    TookTooLong,
    TookTooMuchMemory,
    decode,
)

PARENT = """
import sys
from league.infra.decoding import DecodingLimits, DecodingProcess, DecodingTask
spare = DecodingProcess("decodings:turned")
print(spare._process.pid, flush=True)
DecodingProcess("decodings:sleeping").answer(DecodingTask("decodings:sleeping", sys.argv[1].encode()), DecodingLimits())
"""


def test_what_a_function_returns_or_raises_comes_back() -> None:
    """It comes back with its arguments, and with the sentence of a refusal."""
    assert decode(DecodingTask("decodings:turned", b"abc", (2,))) == b"cbacba"
    with pytest.raises(InvalidInput, match="3 faults") as raised:
        decode(DecodingTask("decodings:refused", b""))
    assert raised.value.reason.template == "the file has {count} faults"


@pytest.mark.heavy
def test_a_process_stops_at_its_seconds_of_cpu_time() -> None:
    """The system ends it, and the refusal names the seconds."""
    with pytest.raises(TookTooLong, match="more than 0 seconds"):
        decode(DecodingTask("decodings:unending", b""), DecodingLimits(seconds=0))


def test_a_process_that_only_waits_is_ended_too(tmp_path: Path) -> None:
    """It takes no CPU time, so a clock counts."""
    with pytest.raises(TookTooLong):
        decode(DecodingTask("decodings:sleeping", bytes(tmp_path / "pid")), DecodingLimits(wall_seconds=0.5))


@pytest.mark.skipif(not LIMITS_MEMORY, reason="the system does not limit memory")
def test_a_process_gets_no_more_than_its_memory() -> None:
    """A file within the limit is decoded, one beyond it is refused with the limit."""
    limits = DecodingLimits(megabytes=200)
    assert decode(DecodingTask("decodings:hoarding", b"", (100,)), limits) == 100 * 1024 * 1024
    with pytest.raises(TookTooMuchMemory, match="200 MB"):
        decode(DecodingTask("decodings:hoarding", b"", (300,)), limits)


def test_what_a_process_answers_may_take_too_much_memory_to_pack() -> None:
    """This happens if the memory was just enough to decode the file."""
    with pytest.raises(TookTooMuchMemory):
        decode(DecodingTask("decodings:unpackable", b""))


def test_a_process_knows_no_secret_of_the_league(monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads bytes of strangers, so it gets a short list of variables."""
    for name in ("LEAGUE_SECRET", "LEAGUE_SIGNING_KEY", "LEAGUE_DATABASE_URL", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "a secret")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    known = decode(DecodingTask("decodings:environment", b""))
    assert "a secret" not in known.values()
    assert {name: known[name] for name in ("LC_ALL", "PATH")} == {"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}


def test_a_process_may_not_answer_without_end() -> None:
    """An answer takes memory of the process that reads it."""
    work = DecodingTask("decodings:turned", bytes(1000), (1000,))
    with pytest.raises(TookTooMuchMemory):
        DecodingProcess(work.function).answer(work, DecodingLimits(), most=100_000)
    assert len(DecodingProcess(work.function).answer(work, DecodingLimits(), most=2_000_000).value()) == 1_000_000


def test_a_process_may_die() -> None:
    """A fault of a library ends this process alone."""
    with pytest.raises(DecoderDied) as raised:
        decode(DecodingTask("decodings:dying", b""))
    assert raised.value.exit_code == -signal.SIGSEGV


@pytest.mark.heavy
def test_a_killed_program_leaves_no_process_behind(tmp_path: Path) -> None:
    """A process that waits for a file ends, and so does one at work."""
    noted = tmp_path / "pid"
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-c", PARENT, str(noted)]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        spare = psutil.Process(int(parent.stdout.readline()))
        wait_until(lambda: noted.exists() and noted.read_text() != "")
        at_work = psutil.Process(int(noted.read_text()))
        parent.send_signal(signal.SIGKILL)
    wait_until(lambda: not spare.is_running() and not at_work.is_running())
