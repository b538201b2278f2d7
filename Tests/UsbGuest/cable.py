"""A USB cable between a socket and a port of the kernel's virtual host controller."""

import socket
import threading
import time
from pathlib import Path

CONTROLLER = Path("/sys/devices/platform/vhci_hcd.0")
FULL_SPEED = 2
FREE = "004"  # VDEV_ST_NULL
LOOK_S = 0.02


def attach(connection, port):
    """Passes a connection to the kernel as a device at the port. The kernel takes ownership of the connection."""
    (CONTROLLER / "attach").write_text(f"{port} {connection.fileno()} {port + 1} {FULL_SPEED}")


def is_free(port):
    for line in (CONTROLLER / "status").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[1]) == port:
            return fields[2] == FREE
    return False


def detach(port):
    """Makes the kernel remove the device at the port, if the kernel has not already removed the device, and close the
    connection."""
    if not is_free(port):
        (CONTROLLER / "detach").write_text(str(port))


class Cable:
    """The cable of a simulated board behind a socket."""

    def __init__(self, path, port):
        self.path = path
        self.port = port
        self.is_plugged = False
        self.thread = None

    def plug(self):
        self.is_plugged = True
        self.thread = threading.Thread(target=self.keep, daemon=True)
        self.thread.start()

    def keep(self):
        """Connects the cable. Connects it again after each reset of the device, because the cable is still plugged
        in."""
        while self.is_plugged:
            with socket.socket(socket.AF_UNIX) as connection:
                try:
                    connection.connect(self.path)
                except (ConnectionRefusedError, FileNotFoundError):
                    return  # the board has ended
                if not self.wait_until_ready(connection):
                    continue
                attach(connection, self.port)
            while self.is_plugged and not is_free(self.port):
                time.sleep(LOOK_S)

    def wait_until_ready(self, connection):
        """Returns True if the device received its address before the cable was unplugged."""
        connection.settimeout(LOOK_S)
        while self.is_plugged:
            try:
                line = connection.recv(len("ready\n"))
            except TimeoutError:
                continue
            connection.settimeout(None)
            return line == b"ready\n"
        return False

    def pull(self):
        self.is_plugged = False
        self.thread.join()
        detach(self.port)
