"""The model of an accelerometer, and a USB adapter to its I2C bus: an i2c-tiny-usb, for the kernel's driver of that
name.

The requests of the adapter are those of drivers/i2c/busses/i2c-tiny-usb.c.
"""

import ctypes
import struct
import time

import usbip

KINDS = {"lis3dh": 1, "lis2dw12": 2, "lsm6dso": 3}  # enum accelerometer_kind
OUT_X_L, OUT_Z_H = 0x28, 0x2D  # of all chips

STRINGS = {0: b"\x09\x04", 1: "accelerometer".encode("utf-16-le")}
DESCRIPTORS = {
    usbip.DEVICE: struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x110, 0xFF, 0, 0, 8, 0x0403, 0xC631, 0x100, 1, 1, 0, 1),
    usbip.CONFIGURATION: struct.pack("<BBHBBBBB", 9, 2, 18, 1, 1, 0, 0x80, 50)
    + struct.pack("<9B", 9, 4, 0, 0, 0, 0xFF, 0, 0, 0),
}
# Vendor requests.
GET_FUNCTIONS, GET_STATUS, TRANSFER = 1, 3, 4
BEGINS, ENDS = 1, 2  # bits of the request TRANSFER
FUNCTIONS = struct.pack("<I", 0x0EFF0009)  # I2C, and SMBus in terms of I2C
ACKNOWLEDGED, NOT_ACKNOWLEDGED = b"\x01", b"\x02"
VENDOR = 0x40  # in bmRequestType
READS = 1  # in the flags of a message


class Model:
    """An accelerometer at rest that samples by the clock of this computer."""

    def __init__(self, library, name, g):
        self.library = ctypes.CDLL(library)
        for function in ("sensor_rate_hz", "sensor_step_g"):
            getattr(self.library, function).restype = ctypes.c_double
        self.library.sensor_new.restype = ctypes.c_void_p
        self.model = ctypes.c_void_p(self.library.sensor_new(KINDS[name], *map(ctypes.c_double, g)))
        self.started = time.monotonic()
        self.held = None  # the sample that was read last, and the rate and the step of the chip at that time

    def call(self, function, *arguments):
        return getattr(self.library, f"sensor_{function}")(self.model, *arguments)

    def now(self):
        return ctypes.c_uint64(int((time.monotonic() - self.started) * 1e6))

    def write(self, address, data):
        """Writes bytes. Returns True if the chip acknowledges its address."""
        now = self.now()
        if not self.call("start", now, address << 1):
            return False
        for byte in data:
            self.call("write", now, byte)
        return True

    def read(self, address, count):
        """Reads bytes. Returns them, or None if the chip does not acknowledge its address."""
        now = self.now()
        if not self.call("start", now, address << 1 | 1):
            return None
        if OUT_X_L <= self.call("register") <= OUT_Z_H:
            sample = [self.call("output", axis) for axis in range(3)]
            self.held = sample, self.call("rate_hz"), self.call("step_g")
        return bytes(self.call("read", now) for _ in range(count))

    def stop(self):
        self.call("stop", self.now())


class Adapter:
    """The device that usbip.serve serves."""

    def __init__(self, model):
        self.model = model
        self.status = ACKNOWLEDGED

    def control(self, setup, data):
        kind, request, value, index, length = struct.unpack("<BBHHH", setup)
        if kind & 0x60 == VENDOR:
            return self.request(request, value, index, length, data)
        return usbip.answer_descriptor(setup, DESCRIPTORS, STRINGS)

    def request(self, request, flags, address, length, data):
        if request == GET_FUNCTIONS:
            return FUNCTIONS
        if request == GET_STATUS:
            return self.status
        if request & TRANSFER:
            return self.transfer(request, flags, address, length, data)
        return b""

    def transfer(self, request, flags, address, length, data):
        if flags & READS:
            answer = self.model.read(address, length)
        else:
            answer = b"" if self.model.write(address, data) else None
        self.status = NOT_ACKNOWLEDGED if answer is None else ACKNOWLEDGED
        if request & ENDS or answer is None:
            self.model.stop()
        return bytes(length) if answer is None else answer
