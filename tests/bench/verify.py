"""`league verify` beside hashlib alone on the same bytes: from the database, and from an exported file."""

from __future__ import annotations

import tempfile
from hashlib import sha256

from league import log_rows
from league.bootstrap import League
from league.chain import FIRST, LEAF
from league.database import connect
from league.log_file import read_log, write_log
from league.merkle import NODE
from league.verification import LogReport, verify_log
from tests.bench.measure import best, say

TIMES = 5


def bench_verify(league: League) -> None:
    """Positions, versions, times, chain and tree of a whole log; the floor only hashes what is hashed there.

    That is each event with the hash before it, and each node of the tree, all in memory already.
    """
    with connect(league.database.url) as conn, tempfile.TemporaryFile() as file:
        report = verify_log(log_rows.rows(conn))
        assert not report.faults
        ours = best(TIMES, lambda: verify_log(log_rows.rows(conn)))
        write_log(log_rows.rows(conn), file)

        def from_file() -> LogReport:
            file.seek(0)
            return verify_log(read_log(file))

        exported = best(TIMES, from_file)
        events, before = [], FIRST
        for encoded, hash_ in log_rows.rows(conn):
            events.append(LEAF + before + encoded)
            before = hash_
    nodes = [NODE + one[-64:] for one in events[1:]]
    count, megabytes = report.events, sum(map(len, events)) / 1e6
    chain = best(TIMES, lambda: [sha256(one).digest() for one in events])
    floor = chain + best(TIMES, lambda: [sha256(one).digest() for one in nodes])
    say(f"verify        {count / ours:>10,.0f} events/s   ({count:,} events, {megabytes:.0f} MB)")
    say(f"  floor: hash {count / floor:>10,.0f} events/s   ratio {floor / ours:.3f}   (events and tree)")
    say(f"  floor: hash {count / chain:>10,.0f} events/s   ratio {chain / ours:.3f}   (events alone)")
    say(f"  an export   {count / exported:>10,.0f} events/s   ratio {floor / exported:.3f} (events and tree)\n")
