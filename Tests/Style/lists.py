#!/usr/bin/env python3
"""Compares the lists in the documents with the sources that define them.

The documents list modules, names in the code overview, exit statuses, commands, environment variables, fuzzers, test
modules and make targets. Prints each difference, and exits with 1 if there is one.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OVERVIEW, MANUAL, PAGE = "Sources/README.md", "Sources/bridge/Manual.md", "Sources/bridge/Packaging/bridge.1"
ARTICLE = "Sources/HapticBridge/HapticBridge.docc/ConvertingPatternFiles.md"
differences = 0


def files(*patterns):
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for path in listed.stdout.split() if (ROOT / path).exists()]


def text(*paths):
    return "".join((ROOT / path).read_text() for path in paths)


def complain(message):
    global differences
    print(message)
    differences += 1


def compare(document, listed, source, defined):
    for name in sorted(set(defined) - set(listed)):
        complain(f"{document} lacks {name}, which {source} has")
    for name in sorted(set(listed) - set(defined)):
        complain(f"{document} lists {name}, which {source} lacks")


def cells(path, header):
    """Returns the names in the first column of the table with the given header."""
    rows = text(path).split(f"{header}\n|---", 1)[1].split("\n\n", 1)[0].split("\n")[1:]
    return [re.findall(r"`([^`]+)`", row.split("|")[1]) for row in rows]


def check_modules():
    overview = text(OVERVIEW)
    lines = overview.split("```\n")[1].splitlines()
    listed = [name for line in lines if line for name in line.split("  ")[0].split(", ")]
    kinds = r"library|tests|\.target|\.executableTarget|\.systemLibrary"
    blocks = re.split(rf'^ {{8}}(?:{kinds})\(\s*(?:name: )?"([\w-]+)"', text("Package.swift"), flags=re.MULTILINE)
    targets = dict(zip(blocks[1::2], blocks[2::2]))
    folders = {path.split("/")[1] for path in files("Sources/*/*")}
    compare(OVERVIEW, listed, "Sources", folders)
    compare("Package.swift", targets.keys() & folders, "Sources", folders)
    for index, name in enumerate(listed):
        for other in set(re.findall(r'"(\w+)"', targets.get(name, ""))) & set(listed[:index]):
            complain(f"{OVERVIEW} lists {name} below {other}, which it imports")
    pure = " ".join(re.findall(r'^pure="(?:\$pure)?(.*)"', text("Tests/check-modules.sh"), re.MULTILINE)).split()
    sentence = re.search(r"((?:`[\w/]+`(?:,| and)?\s)+)do no I/O", overview)[1]
    compare(OVERVIEW, re.findall(r"`(.+?)`", sentence), "pure in Tests/check-modules.sh", pure)
    tests = [name for name in targets if name.endswith("Tests")]
    compare("Tests/README.md", sum(cells("Tests/README.md", "| module | contents |"), []), "Package.swift", tests)


def check_names():
    """Checks that the types, files and folders that the code overview names exist."""
    paths = files()
    swift = text(*files("*.swift"))
    known = set(re.findall(r"\b(?:struct|class|enum|protocol|typealias|func) (\w+)", swift))
    known |= {part for path in paths for part in (*Path(path).parts, Path(path).stem)}
    for name in re.findall(r"`([\w./]+)`", re.sub(r"```.*?```", "", text(OVERVIEW), flags=re.DOTALL)):
        if "/" in name:
            exists = name.endswith("NAME") or any(re.search(rf"(^|/){name}($|[/.])", path) for path in paths)
        else:
            exists = name.isalpha() and name.islower() or name in known or name.split(".")[0] in known
        if not exists:
            complain(f"{OVERVIEW} names {name}, which does not exist")


def check_tool():
    code, page, manual = text("Sources/ToolSupport/Output/ExitStatus.swift"), text(PAGE), text(MANUAL)
    numbers = dict(re.findall(r"case (\w+) = (\d+)", code))
    for name, meaning in re.findall(r'case \.(\w+):\s+"(.*)"', code):  # The manual may add details.
        if f"\n| {numbers[name]} | {meaning}" not in manual:
            complain(f"{MANUAL} lacks status {numbers[name]} with the words of ExitStatus: {meaning}")
        if ".It {}\n{}\n".format(numbers[name], meaning.replace(r"\\", r"\e")) not in page:
            complain(f"{PAGE} lacks status {numbers[name]} with the words of ExitStatus: {meaning}")
    statuses = manual.split("## Exit status")[1].split("\n## ")[0]
    compare(MANUAL, re.findall(r"^\| (\d+) \|", statuses, re.MULTILINE), "ExitStatus", numbers.values())
    compare(PAGE, re.findall(r"^\.It (\d+)", page, re.MULTILINE), "ExitStatus", numbers.values())

    described = cells(MANUAL, "| command | purpose |")
    verbs = [name for row in described if " " not in row[0] for name in row] + ["actuator"]
    parts = [name.split()[-1] for row in described if " " in row[0] for name in row]
    items = str(re.findall(r"^\.It (Ic .*)\n((?:\.Cm .*\n|and\n)*)", page, re.MULTILINE))
    for source, listed, macro in [("Bridge.swift", verbs, "Ic"), ("Actuators/Actuator.swift", parts, "Cm")]:
        code = text(f"Sources/bridge/{source}").split("subcommands: [")[1]
        commands = [name.lower() for name in re.findall(r"(\w+)\.self", code)]
        compare(MANUAL, listed, source, commands)
        compare(PAGE, re.findall(rf"{macro} (\w+)", items), source, commands)
    variables = re.findall(r'"(BRIDGE_[A-Z_]+|NO_COLOR)"', text(*files("Sources/*.swift")))
    compare(PAGE, re.findall(r"^\.It Ev (\w+)", page, re.MULTILINE), "Sources", variables)


def check_make():
    fuzzers = re.search(r"^CORE_FUZZERS := (.*)", text("Tests/Fuzzers/rules.mk"), re.MULTILINE)[1].split()
    fuzzers += re.findall(r'@_cdecl\("fuzz_(\w+)"\)', text(*files("Tests/Fuzzers/*.swift")))
    compare("Tests/README.md", sum(cells("Tests/README.md", "| fuzzer | input |"), []), "Tests/Fuzzers", fuzzers)
    measured = re.findall(r"^([a-z_ |]+)\) files=", text("Tests/Fuzzers/coverage.sh"), re.MULTILINE)
    compare("Tests/Fuzzers/coverage.sh", re.split(r" \| |\n", "\n".join(measured)), "Tests/Fuzzers", fuzzers)
    seeds = {path.split("/")[3] for path in files("Tests/Fuzzers/Corpora/*")}
    compare("Tests/Fuzzers/Corpora", seeds, "Tests/Fuzzers", fuzzers)
    rules = re.findall(r"^([a-z][\w -]*):(?!=)", text(*files("Makefile", "*rules.mk")), re.MULTILINE)
    targets = " ".join(rules).split()
    for path in files("*.md"):
        for name in re.findall(r"(?:`|^)make\s+([a-z][\w-]*)", text(path), re.MULTILINE):
            if name not in targets:
                complain(f"{path} names make {name}, which does not exist")


def check_formats():
    """Checks that the tables of formats in the manual and in the article are the same, except for a footnote."""
    first, second = [text(path).replace("²", "").split("\n| | AHAP |")[1].split("\n\n")[0] for path in (MANUAL, ARTICLE)]
    if first != second:
        complain(f"the tables of formats in {MANUAL} and {ARTICLE} differ")


for check in check_modules, check_names, check_tool, check_make, check_formats:
    check()
sys.exit(differences > 0)
