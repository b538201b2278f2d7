"""Runs Linux's own tests of USB devices, usbtest, on the endpoints of the Pico's image."""

import ctypes
import errno
import fcntl
import os
import struct
from pathlib import Path

from steps import Failure, expect

DEVICES = Path("/sys/bus/usb/devices")
DRIVERS = Path("/sys/bus/usb/drivers")
# The ids of the device as pico-board presents it. The data interface is the first interface.
ID = ("0525", "a4a4")
INTERFACE = 0
SYS_FINIT_MODULE, SYS_DELETE_MODULE = 313, 176  # of x86_64

# struct usbtest_param_64 and USBTEST_REQUEST of drivers/usb/misc/usbtest.c
PARAMETERS = struct.Struct("=5I4xqq")
USBTEST_REQUEST = 3 << 30 | PARAMETERS.size << 16 | ord("U") << 8 | 100
# struct usbdevfs_ioctl and USBDEVFS_IOCTL of linux/usbdevice_fs.h
REQUEST = struct.Struct("=iIQ")
USBDEVFS_IOCTL = 3 << 30 | REQUEST.size << 16 | ord("U") << 8 | 18

# The cases that are applicable to a port that does not send data on its own: number, description, iterations, length,
# variation of the length, transfers in a list.
CASES = (
    (0, "nothing", 1, 0, 0, 0),
    (1, "bulk writes", 50, 512, 0, 0),
    (3, "bulk writes of varied lengths", 50, 512, 61, 0),
    (5, "lists of bulk writes", 20, 512, 0, 8),
    (7, "lists of bulk writes of varied lengths", 20, 512, 61, 8),
    (9, "the requests of chapter 9", 50, 0, 0, 0),
    (10, "queued control requests", 50, 0, 0, 8),
    (11, "cancelled bulk reads", 50, 512, 0, 0),
    (12, "cancelled bulk writes", 50, 512, 0, 0),
    (17, "bulk writes from odd addresses", 20, 512, 0, 0),
    (19, "bulk writes from odd addresses, in mapped buffers", 20, 512, 0, 0),
    (24, "queued bulk writes, some of them cancelled", 20, 512, 0, 16),
    (27, "bulk writes at full speed", 5, 512, 0, 8),
    (29, "the sequence of packets after a halt is cleared", 20, 512, 0, 0),
)

OTHERS = (
    ("2, 4, 6, 8, 18, 20, 28", "for devices that send data of their own, while a port is silent without a session"),
    ("13", "for devices that send data of their own: reads between two halts (USBRequestTests halt each endpoint)"),
    ("14, 21", "for the vendor requests of Gadget Zero"),
    ("15, 16, 22, 23", "for isochronous endpoints"),
    ("25, 26", "for interrupt endpoints in addition to the bulk endpoints"),
)


def find_device():
    """Returns the folder in /sys of a configured device; None if there is none."""
    for device in DEVICES.glob("*-*"):
        names = device / "idVendor", device / "idProduct"
        if ":" not in device.name and tuple(name.read_text().strip() for name in names) == ID:
            return device if (device / "bConfigurationValue").read_text().strip() else None
    return None


def load(module):
    libc = ctypes.CDLL(None, use_errno=True)
    with open(module, "rb") as file:
        if libc.syscall(SYS_FINIT_MODULE, file.fileno(), b"", 0):
            raise Failure(f"{module}: {os.strerror(ctypes.get_errno())}")


def unload():
    ctypes.CDLL(None).syscall(SYS_DELETE_MODULE, b"usbtest", 0)


def run_case(file, case):
    """Runs a case. Returns the error that ended the case, or None."""
    number, _, iterations, length, vary, count = case
    parameters = ctypes.create_string_buffer(
        PARAMETERS.pack(number, iterations, length, vary, count, 0, 0))
    request = REQUEST.pack(INTERFACE, USBTEST_REQUEST, ctypes.addressof(parameters))
    try:
        fcntl.ioctl(file, USBDEVFS_IOCTL, request)
    except OSError as error:
        return errno.errorcode[error.errno]
    return None


def tell(file, case):
    """Runs a case and prints its result. Returns True if it passes."""
    error = run_case(file, case)
    print(f"   usbtest {case[0]}, {case[1]}: {error or 'passes'}", flush=True)
    return not error


def run(usb, module):
    """Runs the test cases on the device with the folder `usb` in /sys."""
    bus, device = (int((usb / name).read_text()) for name in ("busnum", "devnum"))
    taken = [path.name for path in (DRIVERS / "cdc_acm").glob(f"{usb.name}:*")]
    if taken:
        (DRIVERS / "cdc_acm" / "unbind").write_text(taken[0])
    load(module)
    try:
        with open(f"/dev/bus/usb/{bus:03}/{device:03}", "r+b", buffering=0) as file:
            failed = [case[0] for case in CASES if not tell(file, case)]
    finally:
        unload()
    for numbers, why in OTHERS:
        print(f"   usbtest {numbers}: not applicable: {why}", flush=True)
    print(f"   usbtest: {len(CASES) - len(failed)} of {len(CASES)} applicable cases pass", flush=True)
    expect(not failed, f"failed cases of usbtest: {failed}")
