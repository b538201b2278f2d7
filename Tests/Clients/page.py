"""Performs the steps of a file with the JavaScript client of a page in headless Chromium: page.py FILE

The environment variable BRIDGE_WEBSOCKET contains the address of the board. PAGE_PORT contains the port that serves the
page. The server of the board must allow the origin of the page.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from chromium import report_of

FOLDER = Path(__file__).resolve().parent


def main():
    steps = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "haptic-bridge").symlink_to(FOLDER.parents[1] / "Clients/javascript")
        (folder / "steps").symlink_to(steps.parent)
        for file in ("page.html", "perform.mjs"):
            (folder / file).symlink_to(FOLDER / file)
        task = {"address": os.environ["BRIDGE_WEBSOCKET"], "steps": f"steps/{steps.name}"}
        (folder / "task.json").write_text(json.dumps(task))
        report = report_of("page.html", folder, int(os.environ["PAGE_PORT"]))
    if report is None or "error" in report:
        sys.exit(report["error"] if report else "the page has not reported its result")
    for line in report["lines"]:
        print(line)


if __name__ == "__main__":
    main()
