"""Put the pinned files of @noble into the page that checks proofs. Only the imports and exports are rewritten.

To take a newer version, write its number below, run this, copy the hashes that it prints, run it again, and look at the
page.
"""

import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

from league.console.checker_page import PAGE, with_policy

LICENCES = PAGE.parent / "licences"
BEGIN, END = "/* @noble: begin */\n", "/* @noble: end */\n"


class PinnedFile(NamedTuple):
    """A file of a package with its hash, and its name as a module in the page."""

    package: str
    path: str
    sha256: str
    module: str = ""


VERSIONS = {"@noble/ed25519": "3.2.0", "@noble/hashes": "2.4.0"}

# Each file imports only from those before it.
FILES = (
    PinnedFile(
        "@noble/hashes", "utils.js", "037ad49adb78168b6b699598fd33f85f7877456b1d28b4d032e2a1a16807947c", "utils"
    ),
    PinnedFile("@noble/hashes", "_u64.js", "b09da8c07fe8187c07649494cdb7cd0bcf13df90b506a9473d19e4d5f8c2e102", "_u64"),
    PinnedFile("@noble/hashes", "_md.js", "60cf3010fda89e3e4d3f0e7ff1ce249e9c467f34b4fd41b6fd6101d9f69be763", "_md"),
    PinnedFile("@noble/hashes", "sha2.js", "471746bba6ec4c6238ca41358d1d3b40b6ff31cf3363f0b4d550c649c1a8e83b", "sha2"),
    PinnedFile(
        "@noble/ed25519", "index.js", "a4f631d1876b5d9e43a86cd71194ca27b5e1451edf4ba4db9a418f40a475569a", "ed25519"
    ),
)
NOTICES = (
    PinnedFile("@noble/hashes", "LICENSE", "4f221aee6e072336700c408c68ab3b96a3fc09f6aebe6f48f1bd99e5ef13faec"),
    PinnedFile("@noble/ed25519", "LICENSE", "394c2e6e5552e5dba202bee6390b9d6aa2754d657f5b9869e83b3d265a315501"),
)


def main() -> None:
    """Write the page and the licences, or nothing if a file is not the pinned one."""
    contents: dict[PinnedFile, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for package, version in VERSIONS.items():
            command = ["npm", "pack", "--silent", f"{package}@{version}"]
            packed = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()
            with tarfile.open(Path(folder) / packed) as archive:
                for file in (*FILES, *NOTICES):
                    if file.package == package:
                        member = archive.extractfile(f"package/{file.path}")
                        assert member is not None, f"{package} has no {file.path}"
                        contents[file] = member.read().decode()
    found = {file: hashlib.sha256(content.encode()).hexdigest() for file, content in contents.items()}
    differing = [f"{file.package}/{file.path}: {found[file]}" for file in found if found[file] != file.sha256]
    if differing:
        sys.exit("Nothing was written. These are not the pinned files:\n" + "\n".join(differing))
    for file in NOTICES:
        (LICENCES / f"{file.package.removeprefix('@').replace('/', '-')}.txt").write_text(contents[file], "utf-8")
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    bundled = "".join(as_function(file, contents[file]) for file in FILES)
    PAGE.write_text(with_policy(before + BEGIN + bundled + END + after), encoding="utf-8")


def as_function(file: PinnedFile, source: str) -> str:
    """A module as a function that returns what the module exports, so that one page can hold several modules."""
    exported = re.findall(r"^export (?:const|function|async function|class) (\w+)", source, re.MULTILINE)
    exported += [
        name for names in re.findall(r"^export \{([^}]*)\};", source, re.MULTILINE) for name in names.split(",")
    ]
    source = re.sub(r"^export \{[^}]*\};\n?", "", source, flags=re.MULTILINE)
    source = re.sub(r"^export ", "", source, flags=re.MULTILINE)
    source = re.sub(r'^import \* as (\w+) from "\./(\w+)\.js";', r"const \1 = \2;", source, flags=re.MULTILINE)
    source = re.sub(r'^import (\{[^}]*\}) from "\./(\w+)\.js";', r"const \1 = \2;", source, flags=re.MULTILINE)
    assert not re.search(r'^import .* from "|^export\b|</script|<!--', source, re.MULTILINE), file.path
    names = ", ".join(name.strip() for name in exported if name.strip())
    title = f"/* {file.package} {VERSIONS[file.package]}, {file.path}: MIT License, (c) Paul Miller (paulmillr.com) */"
    return f"{title}\nconst {file.module} = (() => {{\n{source.rstrip()}\nreturn {{ {names} }};\n}})();\n\n"


if __name__ == "__main__":
    main()
