"""The contents of the drive that a Pico in BOOTSEL provides: FAT16 on the first partition of 128 MB.

The FAT values come from Microsoft's specification (fatgen103).
"""

import struct

SECTOR = 512
SECTORS = 262_144
FIRST = 1  # the first sector of the partition
RESERVED, ROOT_ENTRIES, CLUSTER_SECTORS = 1, 512, 8
VOLUME_SECTORS = SECTORS - FIRST
FAT_SECTORS = 128  # size of each of the two tables, with 256 clusters per sector
ROOT_AT = FIRST + RESERVED + 2 * FAT_SECTORS
DATA_AT = ROOT_AT + ROOT_ENTRIES * 32 // SECTOR
FAT16, VOLUME_LABEL, READ_ONLY = 0x0E, 0x08, 0x01
LABEL = b"RPI-RP2    "
INFO = b"UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n"
FILES = [
    (b"INDEX   HTM", b'<html><a href="https://www.raspberrypi.com/documentation/microcontrollers/"></a></html>\r\n'),
    (b"INFO_UF2TXT", INFO),
]


def partition_table():
    entry = struct.pack("<B3sB3sII", 0, b"", FAT16, b"", FIRST, VOLUME_SECTORS)
    return bytes(446) + entry.ljust(64, b"\0") + b"\x55\xaa"


def boot_sector():
    parameters = struct.pack(
        "<3s8sHBHBHHBHHHII", b"\xeb\x3c\x90", b"MSWIN4.1", SECTOR, CLUSTER_SECTORS, RESERVED, 2,
        ROOT_ENTRIES, 0, 0xF8, FAT_SECTORS, 1, 1, FIRST, VOLUME_SECTORS)
    extended = struct.pack("<BBBI11s8s", 0, 0, 0x29, 0x1234_5678, LABEL, b"FAT16   ")
    return (parameters + extended).ljust(510, b"\0") + b"\x55\xaa"


def directory_entry(name, attributes, cluster, size):
    return struct.pack("<11sB14sHI", name, attributes, b"", cluster, size)


def contents():
    """Returns the sectors that contain a nonzero byte, keyed by their numbers."""
    table = struct.pack("<HH", 0xFFF8, 0xFFFF) + b"\xff\xff" * len(FILES)
    root = directory_entry(LABEL, VOLUME_LABEL, 0, 0)
    sectors = {0: partition_table(), FIRST: boot_sector()}
    for cluster, (name, text) in enumerate(FILES, 2):
        root += directory_entry(name, READ_ONLY, cluster, len(text))
        sectors[DATA_AT + (cluster - 2) * CLUSTER_SECTORS] = text
    sectors[FIRST + RESERVED] = sectors[FIRST + RESERVED + FAT_SECTORS] = table
    sectors[ROOT_AT] = root
    return {number: sector.ljust(SECTOR, b"\0") for number, sector in sectors.items()}
