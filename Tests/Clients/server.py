"""A server without a board, which records the messages of its clients."""

import os
import pty
import socket
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Clients/python"))

from haptic_bridge.session import Framing, encode  # noqa: E402


class RecordingServer:
    """A server for a port without a board. `environment` contains the environment variables for the programs that use
    the server."""

    def __init__(self):
        self.home = tempfile.TemporaryDirectory()
        folder = Path(self.home.name, "haptic-bridge")
        folder.mkdir(mode=0o700)
        self.descriptors = pty.openpty()
        self.port = os.ttyname(self.descriptors[1])
        self.environment = dict(
            os.environ, XDG_RUNTIME_DIR=self.home.name, XDG_CONFIG_HOME=f"{self.home.name}/config",
            XDG_STATE_HOME=f"{self.home.name}/state", BRIDGE_SERVER="")
        self.environment.pop("BRIDGE_PORT", None)
        self.messages = []
        vectors = (ROOT / "Tests/Vectors/server/messages.txt").read_text().splitlines()
        self.started = next(line[7:] for line in vectors if '"type":"started"' in line).encode()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / self.port[1:].replace("/", "+")))
        self.listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        framing = Framing()
        try:
            while data := client.recv(65_536):
                for message in framing.receive(data):
                    self.messages.append(message)
                    for answer in self._answers(message):
                        body = answer if isinstance(answer, bytes) else encode(answer)
                        client.sendall(len(body).to_bytes(4, "big") + body)
        except OSError:
            pass  # The client has closed the connection.

    def _answers(self, message):
        kind = message["type"]
        if kind == "hello" and message["purpose"] == "play":
            return [{"type": "connected", "port": self.port}, self.started]
        if kind == "clock":
            return [{"type": "clock", "sent": message["time"], "time": message["time"]}]
        if kind == "start":
            return [{"type": "finished", "players": [message["player"]]}]
        return [{"type": "stopped"}] if kind == "end" else [{"type": "alive"}]

    def patterns(self):
        """Returns the pattern of each `add` message, with the entries sorted by time."""
        patterns, pattern, points = [], {"events": [], "parameters": [], "curves": []}, []
        for message in self.messages:
            points += message.get("points", [])
            if message["type"] == "pattern":
                for name, entries in pattern.items():
                    entries += message.get(name, [])
                if "curves" in message:
                    curve = pattern["curves"][-1]
                    curve[2] = sorted(points + curve[2], key=lambda point: point[0])
                    points = []
            elif message["type"] == "add":
                # In a curve or a parameter, the time follows the name; in an event, the time follows the type.
                patterns.append({
                    name: sorted(entries, key=lambda entry: entry[1]) for name, entries in pattern.items()})
                pattern = {"events": [], "parameters": [], "curves": []}
        return patterns

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.home.cleanup()
