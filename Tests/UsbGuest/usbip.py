"""The device's end of USB/IP, for a USB device that this program implements and connects to the kernel's vhci_hcd.

The messages are specified in the kernel's Documentation/usb/usbip_protocol.rst.
"""

import contextlib
import struct

SUBMIT, UNLINK, SUBMIT_ANSWER, UNLINK_ANSWER = 1, 2, 3, 4
HEADER = struct.Struct(">5I28s")  # command, number, device, direction, endpoint; the rest depends on the command
SUBMITTED = struct.Struct(">I4i8s")  # flags, length, first frame, packets, interval, SETUP
FROM_DEVICE = 1
STALL = -32  # EPIPE
DEVICE, CONFIGURATION, STRING = 1, 2, 3  # kinds of descriptors
GET_DESCRIPTOR = bytes([0x80, 6])


class Stall(Exception):
    """The error raised if the device cannot execute a request."""


def answer_descriptor(setup, descriptors, strings):
    """Returns the descriptor that a SETUP packet requests, or nothing if the packet is another request. Raises Stall if
    the device has no such descriptor."""
    if setup[:2] != GET_DESCRIPTOR:
        return b""
    index, kind = setup[2], setup[3]
    if kind == STRING and index in strings:
        return bytes([2 + len(strings[index]), STRING]) + strings[index]
    if kind not in descriptors:
        raise Stall
    return descriptors[kind]


def receive(connection, count):
    """Returns `count` bytes, or None if the cable is unplugged first."""
    received = b""
    while len(received) < count:
        some = connection.recv(count - len(received))
        if not some:
            return None
        received += some
    return received


def perform(device, endpoint, setup, is_in, data, length):
    """Completes a transfer, and returns its status and the bytes that were read."""
    try:
        if endpoint == 0:
            answer = device.control(setup, data)[: struct.unpack_from("<H", setup, 6)[0]]
        else:
            answer = device.give(length) if is_in else device.take(data)
        return 0, answer if is_in else b""
    except Stall:
        return STALL, b""


def serve(device, connection):
    """Serves a device until the cable is unplugged, possibly in the middle of an answer."""
    with connection, contextlib.suppress(ConnectionError):
        serve_transfers(device, connection)


def serve_transfers(device, connection):
    """Answers each transfer before reading the next message. If the host cancels a transfer, the transfer has therefore
    already ended."""
    while header := receive(connection, HEADER.size):
        command, number, _, direction, endpoint, rest = HEADER.unpack(header)
        if command == UNLINK:
            connection.sendall(HEADER.pack(UNLINK_ANSWER, number, 0, 0, 0, b""))
            continue
        _, length, _, _, _, setup = SUBMITTED.unpack(rest)
        is_in = direction == FROM_DEVICE
        data = b"" if is_in else receive(connection, length)
        if data is None:
            return
        status, answer = perform(device, endpoint, setup, is_in, data, length)
        done = len(answer) if is_in else len(data)
        rest = struct.pack(">5i8s", status, done if status == 0 else 0, 0, 0, 0, b"")
        connection.sendall(HEADER.pack(SUBMIT_ANSWER, number, 0, 0, 0, rest) + answer)
