"""Without numba the interpreter rates columns by the same functions."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.heavy

WITHOUT = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *of: None if name == "numba" else find(name, *of)
import pytest
sys.exit(pytest.main(["-q", "-n0", "-p", "no:cacheprovider", sys.argv[1]]))
"""


def test_the_interpreter_gives_the_bits_of_the_fold() -> None:
    """Without numba, the kernel also gives the same bits as the fold."""
    law = Path(__file__).with_name("test_kernel.py")
    ran = subprocess.run([sys.executable, "-c", WITHOUT, str(law)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    assert re.search(r"^\d+ passed in", ran.stdout, re.MULTILINE), "none is skipped"
