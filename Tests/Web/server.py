"""The server of the page in tests.

Before the worker, the server loads clock.js, which makes the worker independent of the load of the computer. Headless
Chromium cannot use a port. If a cable is plugged in, the server therefore loads serial.js before the page and before
the worker: a port with the same interface, whose bytes the server passes to the simulated board.
"""

import contextlib
import functools
import http.server
import os
import tempfile
import threading
import time
from pathlib import Path

from boards import ROOT, RTP_WRITE
from simulated import run_bridge

SITE = Path(os.environ.get("WEB_SITE", ROOT / ".build" / "web"))
# The substitutes for WebSerial and for the clock of the worker.
SUBSTITUTES = {f"/{name}": Path(__file__).with_name(name) for name in ("serial.js", "clock.js")}


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # With Nagle's algorithm, a small answer might wait for 40 ms.
    disable_nagle_algorithm = True
    # The cable to a simulated board; None if no cable is plugged in.
    cable = None
    # True if the worker uses the clock of the computer.
    is_real_time = False
    # A script that is loaded before the worker, and the delay of the worker's script in seconds.
    before_worker = b""
    worker_delay = 0
    # The names of the files that were loaded.
    loaded = set()

    def log_message(self, *_):
        pass

    def handle(self):
        # A page that has ended closes its connections before the answers.
        with contextlib.suppress(ConnectionError):
            super().handle()

    def do_GET(self):
        name = self.path.split("?")[0]
        self.loaded.add(name)
        if name == "/worker.js":
            time.sleep(self.worker_delay)
        if name in SUBSTITUTES:
            self.answer(SUBSTITUTES[name].read_bytes())
        elif name in ("/page.js", "/worker.js"):
            self.answer(self.first(name == "/worker.js") + (SITE / name[1:]).read_bytes())
        else:
            super().do_GET()

    def first(self, is_worker):
        """Returns the script that is loaded before the page or its worker."""
        script = b"" if self.is_real_time or not is_worker else b'import "./clock.js";\n'
        script += b'import "./serial.js";\n' if self.cable else b""
        return script + (self.before_worker if is_worker else b"")

    def do_POST(self):
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        action, _, query = self.path.partition("?")
        answer = b""
        # A page may still send requests after the cable has been pulled, which sets `self.cable` to None.
        cable = self.cable
        if cable is None:
            answer = None
        elif action == "/serial/open":
            cable.open()
        elif action == "/serial/close":
            cable.close()
        else:
            answer = cable.run(int(query.removeprefix("us=")), data)
        self.answer(answer or b"", 410 if answer is None else 200)

    def answer(self, body, status=200):
        self.send_response(status)
        self.send_header("Content-Type", "text/javascript")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextlib.contextmanager
def plugged(cable):
    """Plugs in a cable for the pages that are loaded, and unplugs the cable at the end."""
    Handler.cable = cable
    try:
        yield cable
    finally:
        Handler.cable = None
        cable.pull()


@functools.cache
def site():
    """Serves the folder, as any static host does. Returns the address of the page."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://localhost:{server.server_port}/index.html"


def virtual_trace(file):
    """Returns the levels that `bridge play` writes for a file to its virtual board."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        run_bridge("play", "-q", "--virtual", "--trace", trace, file)
        writes = [line.split() for line in trace.read_text().splitlines()]
    return [(int(at), int(data[4:], 16)) for at, data in writes if data.startswith(RTP_WRITE) and len(data) == 6]
