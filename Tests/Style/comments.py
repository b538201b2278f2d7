#!/usr/bin/env python3
"""Counts the doc comments that cannot be understood alone, and the public declarations without a doc comment.

A doc comment begins with a noun phrase or a third-person verb. At most 2 % of the comments in a language may begin with
a question word, and a comment may not refer to the comment above it. Every public declaration in Sources must have a
summary. Prints each exception, and exits with 1 if a rule is broken.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARE = 0.02

QUESTION = re.compile(r"(What|How|When|Where|Why|Which)\b")
ELLIPSIS = re.compile(r"(Likewise|The same|Same|Ditto|Also|Its opposite|Of several|The other|As above|And |Or |But )\b")

ATTRIBUTE = re.compile(r"^\s*@\w+(\(.*\))?\s*$")
PUBLIC = re.compile(
    r"^\s*(@\w+(\([^)]*\))? )*(public|open)( \w+(\(set\))?)* "
    r"(func|var|let|init|subscript|struct|class|enum|actor|protocol|typealias)\b"
)
OVERRIDE = re.compile(r"\boverride\b")
# Requirements of the standard library, whose own documentation describes them.
INHERITED = re.compile(
    r"func (hash\(into|==|<|encode\(to|next\(|makeIterator\(|index\(after|index\(before)"
    r"|static func (==|<) ?\(|var (description|debugDescription|errorDescription|hashValue|startIndex|endIndex)\b"
    r"|var (errorCode|errorUserInfo|localizedDescription|id|rawValue|allCases|customMirror)\b|static var errorDomain"
    r"|init\(from decoder|init\?\(coder|init\?*\(rawValue|typealias (Element|RawValue|Failure|AsyncIterator|ID)\b"
    r"|var count: Int|subscript\((position|index): Int\)|init\((string|integer|float|array|dictionary|stringInterpolation)Literal"
)


def files(pattern, *roots):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *roots], cwd=ROOT, capture_output=True, text=True)
    return [ROOT / path for path in listed.stdout.splitlines() if re.search(pattern, path) and (ROOT / path).is_file()]


def swift_comments(path):
    """Yields the number and the text of the first line of each comment that consists of `///` lines."""
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        is_first = number == 0 or not lines[number - 1].strip().startswith("///")
        if line.strip().startswith("///") and is_first:
            yield number + 1, line.strip()[3:].strip()


def c_comments(path):
    """Yields the line number and the text of each comment that documents a declaration."""
    text = path.read_text()
    for match in re.finditer(r"/\*\*<?\s*\*?\s*(.*?)(\n|\*/)", text):
        if not match[0].startswith("/**<"):
            yield text.count("\n", 0, match.start()) + 1, match[1].strip()


def undocumented(path):
    """Yields the lines of public declarations without a summary."""
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        if not PUBLIC.match(line) or OVERRIDE.search(line) or INHERITED.search(line):
            continue
        above = number - 1
        while above >= 0 and (ATTRIBUTE.match(lines[above]) or lines[above].strip().startswith("#if")):
            above -= 1
        if above < 0 or not lines[above].strip().startswith("///"):
            yield number + 1, line.strip()


def check_beginnings(language, comments):
    """Prints the comments with a wrong beginning. Returns True if there are too many of them."""
    questions = [entry for entry in comments if QUESTION.match(entry[2])]
    ellipses = [entry for entry in comments if ELLIPSIS.match(entry[2])]
    for path, line, text in questions + ellipses:
        print(f"{path.relative_to(ROOT)}:{line}: {text[:80]}")
    print(f"{language}: {len(comments)} doc comments, {len(questions)} begin with a question word, "
          f"{len(ellipses)} refer to the one above")
    return len(questions) > SHARE * len(comments) or bool(ellipses)


def main():
    swift = [(path, *entry) for path in files(r"\.swift$", "Sources", "Firmware", "Tests") for entry in swift_comments(path)]
    c = [(path, *entry) for path in files(r"\.h$", "Firmware", "Tests/Simulators") for entry in c_comments(path)]
    bare = [(path, *entry) for path in files(r"\.swift$", "Sources") for entry in undocumented(path)]
    for path, line, text in bare:
        print(f"{path.relative_to(ROOT)}:{line}: no summary: {text[:80]}")
    print(f"public declarations without a summary: {len(bare)}")
    broken = [check_beginnings("Swift", swift), check_beginnings("C", c), bool(bare)]
    sys.exit(any(broken))


if __name__ == "__main__":
    main()
