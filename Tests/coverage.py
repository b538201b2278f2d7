#!/usr/bin/env python3
"""Prints the line and branch coverage of the firmware's core:
llvm-cov export PROGRAM -instr-profile PROFILE | coverage.py ROOT

Prints figures, then the location of each uncovered branch and the direction that no test has taken.
"""

import json
import sys
from pathlib import Path

CORE = Path(sys.argv[1]).resolve() / "Firmware" / "core"


class Branches:
    """The directions that tests have taken at each branch, keyed by the location of the branch. A header counts once,
    even if several files include it."""

    def __init__(self):
        self.gone = {}

    def add(self, branch):
        place, true, false = tuple(branch[:4]), branch[4], branch[5]
        gone = self.gone.setdefault(place, [False, False])
        gone[0] |= true > 0
        gone[1] |= false > 0

    def left(self):
        for (line, column, *_), gone in sorted(self.gone.items()):
            for way, was in zip(("true", "false"), gone):
                if not was:
                    yield line, column, way


def main():
    lines, covered = 0, 0
    count, left = 0, []
    for file in json.load(sys.stdin)["data"][0]["files"]:
        path = Path(file["filename"])
        if not path.is_relative_to(CORE):
            continue
        summary = file["summary"]["lines"]
        if path.suffix == ".c":
            lines += summary["count"]
            covered += summary["covered"]
        branches = Branches()
        for branch in file["branches"]:
            branches.add(branch)
        count += 2 * len(branches.gone)
        left += [(path.relative_to(CORE), *place) for place in branches.left()]
    for path, line, column, way in left:
        text = (CORE / path).read_text().splitlines()[line - 1].strip()
        print(f"core/{path}:{line}:{column}: never {way}: {text}")
    print(f"figure core_line_coverage {100 * covered / lines:.1f} %, of {lines}")
    print(f"figure core_branch_coverage {100 * (1 - len(left) / count):.1f} %, of {count}")


if __name__ == "__main__":
    main()
