"""The drive that a Pico in BOOTSEL provides, for the kernel's usb-storage: SCSI over the bulk-only transport.

Like the boot ROM (virtual_disk.c), the drive discards all written data except blocks of UF2 files. The drive replaces
the USB device of the boot ROM, because the simulator does not simulate that device.
"""

import struct
import threading

import usbip
import volume

GET_LUNS = bytes([0xA1, 0xFE])
STRINGS = {0: b"\x09\x04", 1: "Raspberry Pi".encode("utf-16-le"), 2: "RP2 Boot".encode("utf-16-le")}
DESCRIPTORS = {
    usbip.DEVICE: struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x110, 0, 0, 0, 64, 0x2E8A, 3, 0x100, 1, 2, 0, 1),
    usbip.CONFIGURATION: struct.pack("<BBHBBBBB", 9, 2, 32, 1, 1, 0, 0x80, 250)
    + struct.pack("<9B", 9, 4, 0, 0, 2, 8, 6, 0x50, 0)
    + struct.pack("<BBBBHB", 7, 5, 0x81, 2, 64, 0)
    + struct.pack("<BBBBHB", 7, 5, 0x02, 2, 64, 0),
}
COMMAND = struct.Struct("<4sIIBBB16s")
STATUS = struct.Struct("<4sIIB")
INQUIRY = bytes([0, 0x80, 2, 2, 31, 0, 0, 0]) + b"RPI     " + b"RP2             " + b"3   "
INVALID_COMMAND = bytes([0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0])
UF2_MAGIC = b"UF2\n\x57\x51\x5d\x9e"
UF2_END = b"\x30\x6f\xb1\x0a"


def uf2_position(sector):
    """Returns the (number, count) in a block of a UF2 file; None if the sector is not such a block."""
    if not sector.startswith(UF2_MAGIC) or not sector.endswith(UF2_END):
        return None
    return struct.unpack_from("<II", sector, 20)


class Drive:
    """Calls `complete` when a file is complete, with all blocks of the file in the order of their arrival."""

    def __init__(self, complete):
        self.complete = complete
        self.sectors = volume.contents()
        self.blocks = {}
        self.answer = b""  # the host fetches it next
        self.writes_at = None  # the next sector that the host sends

    def control(self, setup, _):
        if setup[:2] == GET_LUNS:
            return b"\0"
        return usbip.answer_descriptor(setup, DESCRIPTORS, STRINGS)

    def give(self, length):
        given, self.answer = self.answer[:length], self.answer[length:]
        return given

    def take(self, data):
        if self.writes_at is None:
            self.begin(data)
        else:
            self.write(data)

    def begin(self, data):
        _, tag, length, _, _, _, command = COMMAND.unpack(data)
        self.status = STATUS.pack(b"USBS", tag, 0, 0)
        if command[0] == 0x2A and length:  # WRITE (10)
            self.writes_at = struct.unpack_from(">I", command, 2)[0]
            self.left = length
            return
        answer = self.answer_to(command)
        if answer is None:
            answer, self.status = b"", STATUS.pack(b"USBS", tag, length, 1)
        # If the host requests more data than there is, it receives zeros at the end.
        self.answer = answer[:length].ljust(length, b"\0") + self.status

    def answer_to(self, command):
        """Returns the answer to a SCSI command that writes nothing; None if the command is unknown."""
        operation = command[0]
        if operation == 0x28:  # READ (10)
            first, count = struct.unpack_from(">IxH", command, 2)
            blank = bytes(volume.SECTOR)
            return b"".join(self.sectors.get(first + n, blank) for n in range(count))
        return {
            0x00: b"",  # TEST UNIT READY
            0x03: INVALID_COMMAND,  # REQUEST SENSE
            0x12: INQUIRY,
            0x1A: bytes([3, 0, 0, 0]),  # MODE SENSE (6): no pages, not write-protected
            0x1B: b"",  # START STOP UNIT
            0x1E: b"",  # PREVENT ALLOW MEDIUM REMOVAL
            0x25: struct.pack(">II", volume.SECTORS - 1, volume.SECTOR),  # READ CAPACITY (10)
            0x35: b"",  # SYNCHRONIZE CACHE
        }.get(operation)

    def write(self, data):
        self.left -= len(data)
        for at in range(0, len(data), volume.SECTOR):
            self.keep(data[at : at + volume.SECTOR])
        if self.left == 0:
            self.writes_at = None
            self.answer = self.status

    def keep(self, sector):
        position = uf2_position(sector)
        if position is None or position[0] in self.blocks:
            return
        self.blocks[position[0]] = sector
        if len(self.blocks) == position[1]:
            self.complete(b"".join(self.blocks.values()))


def start(connection, complete):
    """Serves a drive on a socket until the cable is unplugged."""
    drive = Drive(complete)
    thread = threading.Thread(target=usbip.serve, args=(drive, connection), daemon=True)
    thread.start()
    return thread
