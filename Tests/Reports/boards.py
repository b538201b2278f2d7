#!/usr/bin/env python3
"""Writes the table of boards in README.md from the reports in this folder: boards.py [--check]

With --check, compares the table with the reports instead, and exits with 1 if they differ. A report of `bridge accept`
counts if all of its steps have been carried out and have passed.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "Tests/Reports"
README = ROOT / "README.md"
HEADER = "| board | simulated | tried by one person | in a rig |"
FOLDERS = ("person", "rig")
SCHEMA = "bridge.accept/1"


class Invalid(Exception):
    """The error raised if a report does not count. The argument is the reason."""


def text(path):
    return (ROOT / path).read_text()


def kinds():
    """Returns the code of each kind of board, keyed by the name of the kind in BoardKind."""
    codes = dict(re.findall(r"(BRIDGE_BOARD_\w+) = (\d+)", text("Firmware/protocol/bridge_protocol.h")))
    names = re.findall(r"static let (\w+) = BoardKind\((\w+)\)", text("Sources/BridgeLink/Messages/BoardKind.swift"))
    return {name: int(codes[code]) for name, code in names}


def steps():
    """Returns the names of the steps in a test without a logic analyzer."""
    names = re.findall(r"^    case (\w+)$", text("Sources/AcceptanceReports/AcceptanceStep.swift"), re.MULTILINE)
    return [name for name in names if name != "bus"]


def boards():
    """Returns the rows of the table: the name, the method of simulation, the codes of the kinds of board, and the
    possible numbers of actuators."""
    code = kinds()
    rp2040 = set(re.findall(r"kind: \.(\w+)", text("Sources/HapticBoards/RP2040Pins.swift")))
    one, several, any_number = range(1, 2), range(2, 17), range(1, 17)
    return [
        ("Arduino Uno, Nano", "each instruction", {code["unoNano"]}, one),
        ("the same with 2 to 4 actuators", "each instruction", {code["unoNano"]}, several),
        ("Raspberry Pi Pico, Pico W", "each instruction", {code["pico"]}, any_number),
        ("other boards with an RP2040", "the same image, as a Pico", {code[name] for name in rp2040 - {"pico"}}, any_number),
        ("boards with the Arduino library", "sketches", {code["arduino"]}, any_number),
    ]


def read(path):
    """Returns the kind, the number of actuators and the firmware of a report."""
    report = json.loads(path.read_text())
    if report["schema"] != SCHEMA:
        raise Invalid(f"its schema is not {SCHEMA}")
    verdicts = {step["step"]: step["verdict"] for step in report["steps"]}
    for step in steps():
        if verdicts.get(step) not in ("passed", "skipped"):
            raise Invalid(f"its step {step} has not been carried out or has not passed")
    if verdicts["person"] == "skipped" and all(
        check["verdict"] == "skipped" for step in report["steps"] if step["step"] == "person" for check in step["checks"]
    ):
        raise Invalid("its step person has been skipped")
    if path.parent.name == "rig" and not path.with_suffix(".md").exists():
        raise Invalid(f"{path.stem}.md does not describe its instruments")
    board = report["board"]
    return board["kind"], len(board["chips"]), board["firmware"]


def counted():
    """Returns the reports of each folder. Ends the program if a report does not count."""
    reports = {folder: [] for folder in FOLDERS}
    for folder in FOLDERS:
        for path in sorted((REPORTS / folder).glob("*.json")):
            try:
                kind, actuators, firmware = read(path)
                if not any(kind in codes and actuators in numbers for _, _, codes, numbers in boards()):
                    raise Invalid(f"no row of the table has boards of its kind, {kind}, with {actuators} actuators")
                reports[folder].append((kind, actuators, firmware))
            except (Invalid, KeyError, TypeError, ValueError) as error:
                sys.exit(f"{path.relative_to(ROOT)}: the report does not count: {error}")
    return reports


def cell(reports, codes, numbers):
    firmware = [version for kind, actuators, version in reports if kind in codes and actuators in numbers]
    if not firmware:
        return "no"
    newest = max(firmware, key=lambda version: [int(part) for part in version.split(".")])
    count = f"{len(firmware)} report{'s' if len(firmware) > 1 else ''}"
    return f"firmware {newest}, {count}"


def table():
    reports = counted()
    rows = [HEADER, "|---|---|---|---|"]
    for name, simulated, codes, numbers in boards():
        cells = [cell(reports[folder], codes, numbers) for folder in FOLDERS]
        rows.append("| " + " | ".join([name, simulated, *cells]) + " |")
    return "\n".join(rows) + "\n"


def main():
    readme = README.read_text()
    old = re.search(re.escape(HEADER) + r"\n(?:\|.*\n)*", readme)
    if not old:
        sys.exit(f"README.md lacks the table of boards, which begins with {HEADER}")
    if "--check" not in sys.argv:
        README.write_text(readme.replace(old[0], table()))
    elif old[0] != table():
        sys.exit("the table of boards in README.md differs from Tests/Reports: run make boards-table")


main()
