"""A DRV2605L on the bus that behaves as the firmware requires (SLOS854D). The registers of the chip store the written
values."""

ADDRESS = 0x5A
STATUS, MODE, LEVEL, GO = 0x00, 0x01, 0x02, 0x0C
IS_DRV2605L = 0xE0
STANDBY = 0x40
RESET = 0x80


class Chip:
    def __init__(self, now):
        self.now = now
        self.is_enabled = lambda: True
        self.changes = []
        self.reset()

    def reset(self):
        self.registers = bytearray(256)
        self.registers[STATUS] = IS_DRV2605L
        self.registers[MODE] = STANDBY

    def write(self, register, value):
        """Writes a register. Bits that start an operation are cleared immediately, because operations take no time."""
        if register == MODE and value & RESET:
            self.reset()
            return
        if register == LEVEL and value != self.registers[LEVEL]:
            self.changes.append((self.now(), value))
        if register not in (STATUS, GO):
            self.registers[register] = value

    def read(self, register):
        return self.registers[register]
