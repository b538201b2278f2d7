#!/usr/bin/env python3
"""Finds circles: files in a module of Sources that need each other, directly or through other files.

Usage: circles.py [MODULE[/FOLDER] ...]. The files of each given folder must not need the other files of its module.

A file needs a second file if it names a type, a global function or a global constant that only the second file
declares. Prints each circle of more than six files, and each file of a given folder that needs a file outside the
folder. Exits with 1 if there is one.
"""

import re
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "Sources"
MOST = 6

COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
DECLARATION = re.compile(
    r"^(?:(?:public|package|internal|final|indirect|@\w+(?:\([^)]*\))?)\s+)*"
    r"(?:struct|class|enum|protocol|actor|typealias|func|let|var)\s+(\w+)",
    re.MULTILINE,
)
WORD = re.compile(r"[A-Za-z_]\w*")


def needs(files):
    """Returns the files that each file needs."""
    texts = {path: COMMENT.sub("", path.read_text()) for path in files}
    owners = {}
    for path, text in texts.items():
        for name in DECLARATION.findall(text):
            owners.setdefault(name, set()).add(path)
    home = {name: paths.pop() for name, paths in owners.items() if len(paths) == 1}
    return {
        path: {home[word] for word in set(WORD.findall(text)) if word in home} - {path}
        for path, text in texts.items()
    }


def circles(needed):
    """Returns the strongly connected components of a graph, found by Tarjan's algorithm."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in needed[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            start = stack.index(node)
            found.append(stack[start:])
            del stack[start:]

    for node in needed:
        if node not in index:
            visit(node)
    return found


def leaks(folder):
    """Returns the files of a folder that need other files of its module, with these files."""
    needed = needs(sorted((SOURCES / folder.parts[0]).rglob("*.swift")))
    inside = {path for path in needed if (SOURCES / folder) in path.parents}
    return [(path, other) for path in sorted(inside) for other in sorted(needed[path] - inside)]


def main():
    sys.setrecursionlimit(10_000)
    status, largest = 0, 0
    for module in sorted(path for path in SOURCES.iterdir() if path.is_dir()):
        for circle in circles(needs(sorted(module.rglob("*.swift")))):
            largest = max(largest, len(circle))
            if len(circle) > MOST:
                print(f"{module.name}: {len(circle)} files need each other: {', '.join(sorted(p.name for p in circle))}")
                status = 1
    for folder in map(Path, sys.argv[1:]):
        for path, other in leaks(folder):
            print(f"Sources/{folder}: {path.name} needs {other.name}, which is outside this folder")
            status = 1
    print(f"the largest circle of files has {largest}")
    return status


sys.exit(main())
