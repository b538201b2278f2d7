"""Simulates Haptrix in an audition with a TCP server whose messages begin with a type and a length."""

import io
import json
import socket
import struct
import zipfile

AHAP, KILL, ZIP = 1, 2, 3


def ahap(intensity, seconds=0.05):
    parameters = [{"ParameterID": "HapticIntensity", "ParameterValue": intensity}]
    event = {"EventType": "HapticContinuous", "Time": 0, "EventDuration": seconds, "EventParameters": parameters}
    return json.dumps({"Version": 1, "Pattern": [{"Event": event}]}).encode()


def archive(files, method=zipfile.ZIP_DEFLATED):
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", method) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return result.getvalue()


class Haptrix:
    """A running editor, to which one device connects."""

    def __init__(self, everywhere=False):
        if everywhere:
            self.listener = socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        else:
            self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(10)
        self.port = self.listener.getsockname()[1]
        self.device = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lose()
        self.listener.close()

    def accept(self):
        self.device, _ = self.listener.accept()
        self.device.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, kind, content=b""):
        self.device.sendall(struct.pack("<II", kind, len(content)) + content)

    def lose(self):
        if self.device:
            self.device.close()
            self.device = None
