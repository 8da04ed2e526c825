"""Any rules of the rating, and anything that M reads of a match."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import strategies as st
from leagues import shipped_edition
from msgspec.structs import replace

from league.domain.result import Achievements
from league.domain.rules import CapBySign, CountedTerm, RatingRules, RecoveryStep

EDITION = shipped_edition(1)

values = st.decimals(-3, 3, places=3) | st.decimals(-3, 3, places=12) | st.sampled_from([Decimal("0.05"), Decimal(0)])
counted = st.builds(CountedTerm, value=values, count=st.sampled_from(["match", "hand"]))
times = st.integers(0, 9)
achieved = st.builds(
    Achievements, pollona=st.booleans(), viajeras=times, capicuas=times, capicuas_blocking=times,
    trailed_by=st.integers(0, 150), blocks_won=times, critical_block=st.booleans(),
)  # fmt: skip


@st.composite
def ratings(draw: st.DrawFn) -> RatingRules:
    """Rating sections with any numbers."""
    m = EDITION.rating.modifier
    steps = [RecoveryStep(behind=behind, value=draw(values)) for behind in draw(st.lists(st.integers(1, 150)))]
    modifier = replace(
        m,
        differential=replace(m.differential, value=draw(values), points=draw(st.integers(1, 30))),
        pollona=replace(m.pollona, value=draw(values)),
        viajera=draw(counted),
        capicua=draw(counted),
        capicua_blocks=draw(counted),
        recovery=tuple(steps),
        block_won=draw(counted),
        critical_block=replace(m.critical_block, value=draw(values)),
        strength=replace(m.strength, value=draw(values), gap=draw(st.integers(1, 300))),
    )
    below = draw(st.none() | st.integers(0, 150))
    k = replace(EDITION.rating.k, standard=draw(st.decimals(0, 60, places=2)), provisional_below=below)
    bounds = st.decimals(0, 4, places=2)
    cap = draw(st.just(False) | bounds | st.builds(CapBySign, below=bounds, above=bounds))
    veteran = replace(EDITION.rating.veteran, rating=draw(st.decimals(1000, 2500, places=3)))
    expected = draw(st.sampled_from(["side_average", "own_vs_side_average"]))
    return replace(EDITION.rating, modifier=modifier, k=k, cap=cap, veteran=veteran, expected=expected)
