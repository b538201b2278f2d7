#!/usr/bin/env python3
"""Joins the parts of the page into a single file, which browsers also open from a disk: single.py FOLDER.

From `file:`, browsers load neither modules nor other files, and workers only from the memory of the page. Therefore,
the modules are joined to a script for the page and a script for the worker of the page. The script for the worker
contains the other files as `data:`.
"""

import base64
import hashlib
import json
import re
import sys
from pathlib import Path

OUTPUT = "haptic-bridge.html"
IMPORT = re.compile(r'^import .* from "\./(.+)";\n', re.MULTILINE)
CONTAINED = "haptic-bridge.wasm", "formats.wasm", "rp2040.uf2"
WORKER = 'new Worker(new URL("worker.js", import.meta.url), { type: "module" })'
OWN_WORKER = 'new Worker(URL.createObjectURL(new Blob([document.getElementById("worker").textContent])))'
DATA = "data:application/octet-stream;base64,"
FILE, OWN_FILE = "new URL(name, import.meta.url)", "FILES[name]"


def replaced(text, old, new):
    if text.count(old) != 1:
        sys.exit(f"single.py: the page must contain this once: {old}")
    return text.replace(old, new)


def modules(folder, name, known):
    """Returns the texts of a module and of the modules that it needs, except for those that are already known."""
    if name in known:
        return ""
    known.add(name)
    text = (folder / name).read_text()
    needed = "".join(modules(folder, other, known) for other in IMPORT.findall(text))
    return needed + re.sub("^export ", "", IMPORT.sub("", text), flags=re.MULTILINE)


def script(folder, name):
    text = modules(folder, name, set())
    if "</script" in text or "<!--" in text:
        sys.exit(f"single.py: {name} cannot be part of a page")
    return f'"use strict";\n(() => {{\n{text}}})();\n'


def sha256(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def single(folder):
    files = {name: DATA + base64.b64encode((folder / name).read_bytes()).decode() for name in CONTAINED}
    worker = f"const FILES = {json.dumps(files)};\n" + replaced(script(folder, "worker.js"), FILE, OWN_FILE)
    page = replaced(script(folder, "page.js"), WORKER, OWN_WORKER)
    style = (folder / "page.css").read_text()
    text = (folder / "index.html").read_text()
    text = replaced(text, '<link rel="stylesheet" href="page.css">', f"<style>{style}</style>")
    text = replaced(text, '  <script type="module" src="page.js"></script>\n', "")
    scripts = f'<script type="text/plain" id="worker">{worker}</script>\n<script>{page}</script>\n'
    text = replaced(text, "</body>", f"{scripts}</body>")
    text = replaced(text, "script-src 'self'", f"script-src {sha256(page)}")
    text = replaced(text, "worker-src 'self'", "worker-src blob:")
    text = replaced(text, "connect-src 'self'", "connect-src data:")
    return replaced(text, "style-src 'self'", f"style-src {sha256(style)}")


if __name__ == "__main__":
    site = Path(sys.argv[1])
    (site / OUTPUT).write_text(single(site))
