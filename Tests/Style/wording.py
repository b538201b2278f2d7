#!/usr/bin/env python3
"""Finds words and shapes of sentences that a technical writer would not use.

Reads the comments of source files, the texts of string literals, and the prose of Markdown and HTML files. Code blocks,
code spans and headings are ignored. Prints the location of each finding with the words to use instead, and exits with 1
if there is a finding. With paths as arguments, only those files and folders are read.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The expressions to avoid, each with the words to use instead. A sentence must name its subject with a technical noun.
WORDS = [
    (r"anew|once more", "again"),
    (r"again and again", "repeatedly"),
    (r"told|tells?|telling", "report, state, inform; tell apart: distinguish"),
    (r"heard|hears?|hearing", "receive; of sounds: audible, play"),
    (r"besides?", "in addition to, next to, alongside, except for"),
    (r"of which", "name the noun, or whose"),
    (r"(is|are|was|were) none of", "is not a"),
    (r"lets? go|letting go|(is|are|was|be) let (in|out|go|through)", "release, discard, admit"),
    (r"goes? on|went on|going on|gone on", "continue, resume"),
    (r"borne|bears?", "withstand, carry"),
    (r"mend(s|ed|ing)?", "fix, repair"),
    (r"that which|what it is about", "name the noun"),
    (r"so (many|much) (micro|milli)?(second|minute|byte|bit|time|event|tick|step|percent)s?", "this many, a number of"),
    (r"for ever", "forever, indefinitely"),
    (r"for good", "permanently"),
    (r"stretch(es|ed)?", "range, interval, span"),
    (r"doors?", "listener, endpoint, entry point"),
    (r"newcomers?", "new connection, new user"),
    (r"in vain", "without success"),
    (r"gives? back|giving back|given back|gave back", "return, release"),
    (r"takes? away|took away|taken away", "remove"),
    (r"hands? (out|over|back)|handed (out|over|back)", "pass, return, distribute"),
    (r"look(s|ed|ing)? (for|at|after)", "search, read, examine, check"),
    (r"knows? of", "is aware of, has"),
    (r"stands?|stood|standing", "is, is stored, represents"),
    (r"goes", "is sent, is written, moves, leaves"),
    (r"(whereby|wherein|thereby|thereof|hereby|whereupon)", "by, in, of this"),
    (r"nought|aught|henceforth|to and fro|by and by|little by little", "a word of today"),
    (r"shut", "closed"),
    (r"attend(s|ed)?", "handle, service, poll"),
    (r"what (is|was|are|were|has|had|plays|played|comes|came|remains|remained|follows|followed|goes|makes)",
     "name the noun before the relative clause"),
    (r"(the|an?)( \w+)? one (that|which|whose|of)", "repeat the noun"),
    (r"any (more|longer)", "no longer"),
    (r"by (itself|themselves)", "on its own, automatically"),
    (r"(has|had) to", "must"),
    (r"number of times that", "number of times"),
    (r"reasons? for which", "reason why"),
    (r"times? within which", "maximum time until"),
    (r"whatever", "regardless of, any"),
    (r"hand-warm", "no warmer than the hand"),
    (r"some (micro|milli)?seconds", "a few"),
    (r"in synchrony", "in sync"),
    (r"in spite of", "despite"),
]

# Beginnings of sentences that do not name a subject.
BEGINNINGS = [
    (r"(What|How|Which|Whose|Where|Why)\b(?![^.]*\?)", "begin with the noun or a verb"),
    (r"Whether\b", "True if, Returns whether"),
    (r"(One|Those|Ones) (that|which|who|whose|of)\b", "name the noun"),
    (r"(Therefore|Otherwise|In (this|that) case) (?=\w)", "put a comma after it"),
]

PATTERNS = [(re.compile(rf"\b({words})\b", re.IGNORECASE), advice) for words, advice in WORDS]
PATTERNS += [(re.compile(rf"(?:^|(?<=[.;:] ))({words})"), advice) for words, advice in BEGINNINGS]

SLASHES = re.compile(r"\.(swift|c|h|cpp|hpp|ino|S|js|ts|mjs)$")
HASHES = re.compile(r"\.(sh|py|mk|yml)$|(^|/)Makefile$|^\.ci/")
PROSE = re.compile(r"\.(md|html)$")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
# Texts by other authors, and this list.
LEFT_OUT = re.compile(r"^(Tests/Style/|Sources/CSerialPort/)")

# Names, commands and quotations that contain a listed word. Each entry is the path of a file and the text in this file
# that is not checked.
EXCEPTIONS = [
    ("Tests/ClientPackage/Sources/shapes5/OldSampler.swift", "Tell the engine"),  # quoted from Apple's sample code
    ("Tests/LinkTests/Schematics/SchematicsTests.swift", "One of"),  # a column of the parts lists
    ("Tests/Simulators/common/commands.c", "chip stretch"),  # a command of the simulators
    ("Tests/Support/Boards/LockStepBoard+Faults.swift", "chip stretch"),  # the same command
]


def listed(roots):
    command = ["git", "ls-files", "-co", "--exclude-standard", *roots]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for path in output.splitlines() if not LEFT_OUT.search(path) and (ROOT / path).is_file()]


def without_code(path, line):
    """Returns the line with spaces instead of code spans, interpolations, addresses and exceptions."""
    for excepted, text in EXCEPTIONS:
        if excepted == path:
            line = line.replace(text, " " * len(text))
    code = r"`[^`]*`|\\\([^()]*(\([^()]*\)[^()]*)*\)|\$?\{[^{}]*\}|https?://\S+"
    return re.sub(code, lambda found: " " * len(found[0]), line)


def prose(text):
    """Yields the lines of a Markdown or HTML file, without headings and code blocks, each with its line number."""
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith("#") and not line.startswith("    "):
            yield number, re.sub(r"^\s*([-*>|]|\d+\.)\s+", lambda found: " " * len(found[0]), line)


def comments(text, begins):
    """Yields the comments and the texts of the literals in a source file, each with its line number."""
    is_block = is_text = False
    for number, line in enumerate(text.splitlines(), 1):
        if is_text or '"""' in line:
            is_text ^= line.count('"""') == 1
            yield number, line
            continue
        found = re.search(begins, line)
        block = re.search(r"/\*+<?", line)
        if is_block:
            end = line.find("*/")
            yield number, re.sub(r"^\s*\*", "", line[: end if end >= 0 else None])
            is_block = end < 0
        elif found:
            yield number, line[found.end():]
        elif block and begins.startswith("(?<!:)//"):
            end = line.find("*/", block.end())
            yield number, line[block.end(): end if end >= 0 else None]
            is_block = end < 0
        code = line[: found.start()] if found else line
        if not is_block:
            for literal in LITERAL.finditer(code):
                if " " in literal[1]:
                    yield number, literal[1]


def texts(path):
    text = (ROOT / path).read_text(errors="replace")
    if PROSE.search(path):
        return prose(text)
    if SLASHES.search(path):
        return comments(text, r"(?<!:)///?<?")
    if HASHES.search(path):
        return comments(text, r"(^|\s)#+\s")
    return []


def main():
    count = 0
    for path in listed(sys.argv[1:] or ["."]):
        for number, line in texts(path):
            line = without_code(path, line).strip()
            for pattern, advice in PATTERNS:
                for found in pattern.finditer(line):
                    count += 1
                    print(f"{path}:{number}: “{found[0]}”: {advice}: {line[:100]}")
    print(f"words and shapes to rewrite: {count}")
    sys.exit(count > 0)


if __name__ == "__main__":
    main()
