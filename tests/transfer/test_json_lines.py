"""Lines of JSON, however many keys they have."""

from __future__ import annotations

from comparisons import Compared

from league.transfer.recorded_lines import _Repeating


def test_repeated_keys_are_found_without_comparing_each_key_with_each() -> None:
    """The comparisons grow with the number of keys, not with its square."""
    keys = [Compared(f"key_{number:04}") for number in range(1000)]
    Compared.comparisons = 0
    pairs = [(key, None) for key in [*keys, Compared("key_0000"), Compared("key_0007")]]
    assert _Repeating(pairs).repeated == ["key_0000", "key_0007"]
    assert Compared.comparisons < 10_000
