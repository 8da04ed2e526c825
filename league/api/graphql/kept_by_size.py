"""Remembers what was used last, bounded by its number and by its size."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class KeptBySize(Generic[Key, Value]):
    """Values by key. Whenever one is asked for or added, the least used ones beyond a bound are forgotten."""

    def __init__(self, most: int, most_in_all: int, size: Callable[[Value], int]) -> None:
        """`size`: of a value, which may grow after it was added. `most_in_all`: of all values together."""
        self._most, self._most_in_all, self._size = most, most_in_all, size
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    @property
    def size(self) -> int:
        """The size of all values."""
        return sum(map(self._size, self._values.values()))

    def get(self, key: Key) -> Value | None:
        """What was added under a key; None where it is forgotten, or was never there."""
        with self._lock:
            self._forget()
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def add(self, key: Key, value: Value) -> None:
        """Remember a value."""
        with self._lock:
            self._values[key] = value
            self._forget()

    def _forget(self) -> None:
        size = self.size
        while self._values and (len(self._values) > self._most or size > self._most_in_all):
            _, forgotten = self._values.popitem(last=False)
            size -= self._size(forgotten)
