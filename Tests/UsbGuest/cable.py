"""Plugging: a connected socket becomes a device at a port of the kernel's virtual host controller."""

from pathlib import Path

CONTROLLER = Path("/sys/devices/platform/vhci_hcd.0")
FULL_SPEED = 2


def plug(connection, port):
    """Plugs in the device behind the socket, of which the kernel keeps its own reference."""
    (CONTROLLER / "attach").write_text(f"{port} {connection.fileno()} {port + 1} {FULL_SPEED}")


def unplug(port):
    """Pulls the cable: the kernel forgets the device and closes the socket."""
    (CONTROLLER / "detach").write_text(str(port))
