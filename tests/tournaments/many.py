"""Plays and checks thousands of random tournaments: `python -m tests.tournaments.many 5000 SEED [FORMAT [MOST]]`."""

from __future__ import annotations

import sys
import traceback
from collections import Counter
from pathlib import Path
from random import Random

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from random_tournaments import PlayedTournament  # noqa: E402  # the path is set above
from rich.progress import track  # noqa: E402
from test_random_tournaments import examine  # noqa: E402


def main() -> None:
    """Play this many tournaments, and print how many there were of each kind, and which ones failed.

    Chance decides the format if none is named. MOST is the largest number of competitors, usually 60.
    """
    count, seed, *others = sys.argv[1:]
    format_ = others[0] if others else None
    most = int(others[1]) if len(others) > 1 else 60
    kinds: Counter[str] = Counter()
    failed: list[int] = []
    for number in track(range(int(count))):
        played = PlayedTournament(Random(f"{seed}-{number}"), most=most, format_=format_)
        try:
            played.play()
            examine(played)
        except Exception:  # noqa: BLE001  # a refusal, an assertion or a crash: all are failures
            sys.stdout.write(f"{seed}-{number}:\n{traceback.format_exc()}\n")
            failed.append(number)
        kinds[f"{played.plan['format']} {played.plan['mode']}"] += 1
        kinds["rounds"] += len(played.state.rounds)
        kinds["tables"] += sum(len(of.tables) for of in played.state.rounds)
        kinds["corrected"] += played.corrected
        kinds["corrected rows"] += sum(row["corrected"] for row in played.rows()["pairings"])
    sys.stdout.write(f"{dict(kinds)}\n{len(failed)} of {count} failed\n")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
