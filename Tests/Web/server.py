"""The server of the page for its tests, the simulated boards, and the cable between them.

Chromium does not offer pseudo-terminals to WebSerial. If a cable is plugged in, the server therefore loads serial.js
before the page and before its worker: a port with the same interface, whose bytes it passes to the board.
"""

import fcntl
import functools
import http.server
import os
import select
import struct
import subprocess
import tempfile
import termios
import threading
import time
from pathlib import Path

from boards import BRIDGE, IMAGE, ROOT, RTP_WRITE, SIMULATOR, Board, image_levels
from report import Skipped, expect_equal

SITE = Path(os.environ.get("WEB_SITE", ROOT / ".build" / "web"))
SUBSTITUTE = Path(__file__).with_name("serial.js")
PICO_SIMULATOR = SIMULATOR.with_name("pico-board")
PICO_IMAGE = ROOT / "Firmware" / "boards" / "rp2040" / "rp2040.uf2"
PICO_CYCLES_PER_US = 48
CHUNK = 4096
BAUD = 250_000
# Linux's requests for terminals with any rate, and the flag for such a rate (asm/termbits.h).
TCGETS2, TCSETS2, BOTHER = 0x802C542A, 0x402C542B, 0o010000
TERMIOS2 = "4IB19s2I"


def now():
    """Returns the time in seconds on the clock to which the simulated boards map their cycles."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Cable:
    """The cable between the page and the terminal of a board."""

    def __init__(self, path):
        self.path = path
        self.port = None
        self.is_plugged = True
        # The time of the latest byte from the page.
        self.written = 0.0

    def open(self):
        self.close()
        self.port = os.open(self.path, os.O_RDWR | os.O_NOCTTY)
        modes = list(struct.unpack(TERMIOS2, fcntl.ioctl(self.port, TCGETS2, bytes(struct.calcsize(TERMIOS2)))))
        modes[:4] = 0, 0, BOTHER | termios.CS8 | termios.CREAD | termios.HUPCL, 0
        modes[6:] = BAUD, BAUD
        fcntl.ioctl(self.port, TCSETS2, struct.pack(TERMIOS2, *modes))

    def write(self, data):
        try:
            os.write(self.port if self.is_plugged else -1, data)
        except (OSError, TypeError):
            # The cable is pulled, the port is closed, or the board has ended.
            return False
        self.written = now()
        return True

    def stream(self, connection, output):
        """Passes bytes to the page until the port is closed, the cable is pulled, or the page has ended.

        The port is then closed, as the operating system closes the ports of a program that has ended.
        """
        port = self.port
        while self.is_plugged and port is not None and self.port == port:
            ready, _, _ = select.select([port, connection], [], [], 0.01)
            if connection in ready:
                break
            data = os.read(port, CHUNK) if ready else None
            if data == b"":
                # The board has ended.
                break
            if data:
                output.write(data)
        self.close()

    def close(self):
        port, self.port = self.port, None
        if port is not None:
            os.close(port)

    def pull(self):
        self.is_plugged = False


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without this, a small answer may wait for 40 ms.
    disable_nagle_algorithm = True
    cable = None
    # A script that is loaded before the worker.
    before_worker = b""

    def log_message(self, *_):
        pass

    def do_GET(self):
        name = self.path.split("?")[0]
        if name == "/serial/bytes" and self.cable:
            self.stream()
        elif name == "/serial.js":
            self.answer(SUBSTITUTE.read_bytes())
        elif name in ("/page.js", "/worker.js"):
            first = b'import "./serial.js";\n' if self.cable else b""
            first += self.before_worker if name == "/worker.js" else b""
            self.answer(first + (SITE / name[1:]).read_bytes())
        else:
            super().do_GET()

    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        done = True
        if self.path == "/serial/open":
            self.cable.open()
        elif self.path == "/serial/close":
            self.cable.close()
        else:
            done = self.cable.write(data)
        self.answer(b"", 200 if done else 410)

    def answer(self, body, status=200):
        self.send_response(status)
        self.send_header("Content-Type", "text/javascript")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self):
        self.send_response(200)
        # Without these, the browser waits for more bytes in order to guess the type.
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Connection", "close")
        self.end_headers()
        self.cable.stream(self.connection, self.wfile)
        self.close_connection = True


@functools.cache
def site():
    """Serves the folder, as any static host does, and returns its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://localhost:{server.server_port}/index.html"


def pico_levels(line):
    kind, *fields = line.split()
    return (int(fields[0]) // PICO_CYCLES_PER_US, int(fields[1])) if kind == "drive" else None


def simulated_uno():
    return Board(SIMULATOR, ["--trace", "TRACE", str(IMAGE)], image_levels)


def simulated_pico():
    return Board(PICO_SIMULATOR, ["--trace", "TRACE", str(PICO_IMAGE)], pico_levels)


BOARDS = {"Uno": simulated_uno, "Pico": simulated_pico}


def run_bridge(*arguments):
    """Runs the tool alone on its board, with the settings of a new user."""
    if not BRIDGE.exists():
        raise Skipped(f"{BRIDGE} is not built")
    with tempfile.TemporaryDirectory() as home:
        names = ("XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME")
        environment = {**os.environ, **dict.fromkeys(names, home), "BRIDGE_SERVER": ""}
        ended = subprocess.run(
            [str(BRIDGE), *map(str, arguments)], capture_output=True, text=True, timeout=60, env=environment)
    expect_equal((ended.returncode, ended.stderr), (0, ""), f"the end of bridge {arguments[0]}")


def virtual_trace(file):
    """Returns the levels that `bridge play` writes for a file to its virtual board."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        run_bridge("play", "-q", "--virtual", "--trace", trace, file)
        writes = [line.split() for line in trace.read_text().splitlines()]
    return [(int(at), int(data[4:], 16)) for at, data in writes if data.startswith(RTP_WRITE) and len(data) == 6]
