"""The program that decodes one file: `python -m league.infra.decoder MODULE:NAME`. `decoding.py` starts it.

It reads the file from standard input, and writes the function's result or exception to standard output.
"""

import math
import os
import pickle
import resource
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from league.infra.decoding import LIMITS_MEMORY, MB, DecodingLimits, DecodingTask, TookTooMuchMemory

FIRST_TO_GO = "1000"
"""The score by which a system that is short of memory ends this process before the league or its database."""


def main() -> None:
    """Decode the file on standard input."""
    # Ctrl-C reaches every process of the terminal. This process ends when its parent closes its input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.dup(1)
    os.dup2(2, 1)  # so that nothing that a library prints gets into the answer
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(FIRST_TO_GO)
    function = resolve_name(sys.argv[1])
    try:
        work, limits = pickle.load(sys.stdin.buffer)  # noqa: S301  # from the process that started this one
    except EOFError:
        return  # the parent closed the input without sending a file
    threading.Thread(target=_end_with_the_input, daemon=True).start()
    keep_to(limits)
    with os.fdopen(answers, "wb") as out:
        out.write(_outcome(function, work, limits))
    os._exit(0)  # at once, without the cleanup of loaded libraries


def keep_to(limits: DecodingLimits) -> None:
    """Set the limits of this process: the system then ends it when it exceeds them, or refuses it more memory."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seconds = math.ceil(time.process_time()) + limits.seconds
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    if LIMITS_MEMORY:
        resource.setrlimit(resource.RLIMIT_DATA, (limits.megabytes * MB, limits.megabytes * MB))


def _outcome(function: Any, work: DecodingTask, limits: DecodingLimits) -> bytes:
    """Whether the function raised, and its result or exception, pickled. Pickling is subject to the limits too."""
    try:
        return _packed(False, function(work.content, *work.more))
    except MemoryError:
        return _packed(True, TookTooMuchMemory(limits.megabytes))
    except Exception as error:  # noqa: BLE001  # raised again where the answer is read
        return _packed(True, error)  # `PackedAnswer.value` raises it


def _packed(is_error: bool, value: Any) -> bytes:
    return pickle.dumps((is_error, value), pickle.HIGHEST_PROTOCOL)


def _end_with_the_input() -> None:
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    main()
