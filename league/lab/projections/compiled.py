"""Functions that numba compiles where it is installed, which is with the extra `lab`, and the arrays that they take."""

from array import array
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

IS_COMPILED = find_spec("numba") is not None
"""Whether the functions of the laboratory are compiled; else the interpreter runs them."""

if IS_COMPILED:
    import numpy as np
    from numba import njit

    def compiled(function: F) -> F:
        """Compile a function of numbers and arrays when it is first called. Floats keep the bits of the interpreter."""
        made: F = njit(function, cache=True, nogil=True, error_model="numpy")
        return made

    def inlined(function: F) -> F:
        """Compile a function into those that call it: with many arguments a call costs as much as its arithmetic."""
        made: F = njit(function, inline="always", nogil=True, error_model="numpy")
        return made

    def column(values: "array[int]") -> Any:
        """A column of integers, without a copy: while it is used, the array cannot grow."""
        return np.frombuffer(values, dtype=values.typecode)

    def table(values: Sequence[int]) -> Any:
        """A list of integers."""
        return np.array(values, dtype=np.int64)

    def floats(size: int) -> Any:
        """So many zeros."""
        return np.zeros(size)

    def integers(size: int) -> Any:
        """So many zeros."""
        return np.zeros(size, dtype=np.int32)
else:

    def compiled(function: F) -> F:
        """Leave a function as it is."""
        return function

    inlined = compiled

    def column(values: "array[int]") -> Any:
        """A column of integers."""
        return values.tolist()

    def table(values: Sequence[int]) -> Any:
        """A list of integers."""
        return values

    def floats(size: int) -> Any:
        """So many zeros."""
        return [0.0] * size

    def integers(size: int) -> Any:
        """So many zeros."""
        return [0] * size
