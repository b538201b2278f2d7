#!/usr/bin/env python3
"""Writes the named patterns into the clients: named.py [--check].

The source is the pattern files of the library. With --check, nothing is written, and the exit status is 1 if a file
differs.
"""

import json
import sys
from pathlib import Path

CLIENTS = Path(__file__).resolve().parent
SOURCES = CLIENTS.parent / "Sources/HapticBridge/Feedback/Patterns"
BEGIN, END = "/* The named patterns, written by named.py. */\n", "/* The end of the named patterns. */\n"


def main():
    patterns = {path.stem: json.loads(path.read_text())["Pattern"] for path in sorted(SOURCES.glob("*.ahap"))}
    lines = [f"{json.dumps(name)}: {json.dumps(entries, separators=(',', ':'))}" for name, entries in patterns.items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    texts = {CLIENTS / "python/haptic_bridge/named.json": text, CLIENTS / "javascript/named.json": text}
    source = CLIENTS / "c/haptic_bridge.c"
    before, _, rest = source.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    table = "/* clang-format off */\nstatic const char *const named_patterns[][2] = {\n"
    for name, entries in patterns.items():
        pattern = json.dumps({"Pattern": entries}, separators=(",", ":"))
        table += f"    {{{json.dumps(name)}, {json.dumps(pattern)}}},\n"
    texts[source] = before + BEGIN + table + "};\n/* clang-format on */\n" + END + after
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if "--check" in sys.argv:
            print(f"{path} differs from the named patterns: run Clients/named.py", file=sys.stderr)
        else:
            path.write_text(text if path.suffix == ".json" else texts[path])
    sys.exit(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    main()
