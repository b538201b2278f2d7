#!/usr/bin/env python3
"""Packs an image for the RP2040's boot ROM: adds the CRC after boot2, and writes the blocks of a UF2 file.

    uf2.py IMAGE.bin IMAGE.uf2
"""

import struct
import sys

BOOT2_SIZE = 252
FLASH = 0x10000000
PAGE = 256
MAGIC = 0x0A324655, 0x9E5D5157, 0x0AB16F30
HAS_FAMILY = 0x2000
RP2040 = 0xE48BFF56


def crc(data):
    """Returns the boot ROM's CRC-32: polynomial 04C11DB7, most significant bit first (data sheet 2.8.1.3.1)."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte << 24
        for _ in range(8):
            register = (register << 1 ^ (0x04C11DB7 if register >> 31 else 0)) & 0xFFFFFFFF
    return register


def block(number, count, page):
    """Returns a block of 512 bytes that contains a page of the flash."""
    head = *MAGIC[:2], HAS_FAMILY, FLASH + number * PAGE, PAGE, number, count, RP2040
    return struct.pack("<8I476sI", *head, page, MAGIC[2])


def main(image_path, uf2_path):
    with open(image_path, "rb") as file:
        image = file.read()
    boot2 = image[:BOOT2_SIZE]
    image = boot2 + struct.pack("<I", crc(boot2)) + image[BOOT2_SIZE + 4 :]
    pages = [image[at : at + PAGE].ljust(PAGE, b"\0") for at in range(0, len(image), PAGE)]
    with open(uf2_path, "wb") as file:
        for number, page in enumerate(pages):
            file.write(block(number, len(pages), page))


if __name__ == "__main__":
    main(*sys.argv[1:])
