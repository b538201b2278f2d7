#!/usr/bin/env python3
"""Tests the models of the accelerometers with the kernel's own drivers, which must read the samples that the models
hold. It is run in the guest: sensor.py LIBRARY, where LIBRARY contains the models (accelerometer.c)

The drivers have no interrupt of the chip, and therefore read single samples and not the FIFO.
"""

import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import cable
import steps
import usbip
from accelerometer import Adapter, Model
from steps import expect, expect_equal, wait_for

LIBRARY = Path(sys.argv[1]).resolve()
PORT = 0  # of the host controller
BUSES = Path("/sys/bus/i2c/devices")
LIMIT_S = 60
STORY = 12
STANDARD_GRAVITY = 9.80665
# Within the range of 2 g, and different for each axis.
ACCELERATION = (0.31, -0.52, 0.98)
AXES = "xyz"
DRIVERS = {"lis3dh": "st-accel-i2c", "lis2dw12": "st-accel-i2c", "lsm6dso": "st_lsm6dsx_i2c"}
# The largest noise and rounding of a sample: six standard deviations of the LIS3DH, and half a step of its 10 bits at
# 16 g.
TOLERANCE_G = 0.065
# The driver's highest rate of the LIS3DH is that of its low-power mode, which is not modeled.
NOT_MODELED = {("lis3dh", "1600")}


def kernel_story():
    return subprocess.run(["dmesg"], capture_output=True, text=True).stdout


class Sensor:
    """An accelerometer behind an adapter that is plugged in."""

    def __init__(self, name):
        self.name = name
        self.model = Model(LIBRARY, name, ACCELERATION)
        self.bus = None
        self.device = None

    # ---- The bus ----

    def plug(self):
        ours, kernels = socket.socketpair()
        threading.Thread(target=usbip.serve, args=(Adapter(self.model), ours), daemon=True).start()
        cable.attach(kernels, PORT)
        kernels.close()
        self.bus = wait_for(self.find_bus, LIMIT_S, "the bus of the adapter")

    @staticmethod
    def find_bus():
        names = BUSES.glob("i2c-*/name")
        return next((name.parent for name in names if name.read_text().startswith("i2c-tiny-usb")), None)

    def pull(self):
        cable.detach(PORT)
        wait_for(lambda: cable.is_free(PORT) and not self.find_bus(), LIMIT_S, "the end of the bus")

    # ---- The driver ----

    def bind(self):
        """Names the chip to the kernel, whose driver then identifies the chip."""
        address = self.model.call("address")
        (self.bus / "new_device").write_text(f"{self.name} {address:#x}")
        device = BUSES / f"{self.bus.name.removeprefix('i2c-')}-{address:04x}"
        wait_for(device.exists, LIMIT_S, device)
        return device

    def is_bound(self):
        device = self.bind()
        wait_for((device / "driver").exists, LIMIT_S, "a driver")
        expect_equal((device / "driver").resolve().name, DRIVERS[self.name], "the driver")
        raw = wait_for(lambda: next(device.glob("iio:device*/in_accel_x_raw"), None), LIMIT_S, "in_accel_x_raw")
        self.device = raw.parent
        expect(not self.has_mismatch(), "the driver expects another identity")

    def is_refused(self):
        """The driver of the LSM6DSO does not bind, and the driver of the others warns."""
        self.model.call("set_id", 0x55)
        device = self.bind()
        expect(self.has_mismatch() or not (device / "driver").exists(), "the driver has accepted the chip")

    def has_mismatch(self):
        return f"{self.name}: WhoAmI mismatch" in kernel_story()

    # ---- Samples ----

    def number(self, name):
        return float((self.device / name).read_text())

    def choices(self, name):
        return (self.device / name).read_text().split()

    def shift(self):
        """Returns the number of bits of a sample that the driver omits."""
        kind = self.device / "scan_elements" / "in_accel_x_type"
        return int(re.search(r">>(\d+)", kind.read_text())[1]) if kind.exists() else 0

    def scale(self):
        """Returns the name of the file of the scale, which is the same for all axes."""
        return "in_accel_scale" if (self.device / "in_accel_scale").exists() else "in_accel_x_scale"

    def compare(self):
        """Compares a sample of each axis. Returns the rate of the model."""
        scale = self.number(self.scale())
        for axis, name in enumerate(AXES):
            raw = int(self.number(f"in_accel_{name}_raw"))
            sample, rate, step_g = self.model.held
            expect_equal(raw, sample[axis] >> self.shift(), f"the sample of {name}")
            read_g = raw * scale / STANDARD_GRAVITY
            held_g = sample[axis] * step_g
            expect(abs(read_g - held_g) < 2e-3 * abs(held_g) + 1e-3, f"{name}: {read_g} g instead of {held_g} g")
            expect(abs(read_g - ACCELERATION[axis]) < TOLERANCE_G, f"{name}: {read_g} g, not {ACCELERATION[axis]} g")
        return rate

    def has_ranges(self):
        (self.device / "sampling_frequency").write_text("100" if self.name != "lsm6dso" else "104")
        for scale in self.choices("in_accel_scale_available"):
            (self.device / self.scale()).write_text(scale)
            self.compare()
            print(f"   scale {scale}: {self.model.held[0]}", flush=True)

    def has_rates(self):
        for rate in self.choices("sampling_frequency_available"):
            if (self.name, rate) in NOT_MODELED:
                continue
            (self.device / "sampling_frequency").write_text(rate)
            found = self.compare()
            expect_equal(int(found), int(float(rate)), "the rate in Hz")
            print(f"   rate {rate}: {found} Hz", flush=True)

    def has_only_defined_accesses(self):
        count, register = self.model.call("undefined"), self.model.call("last_undefined")
        expect(count == 0, f"{count} accesses that the model does not define, the last of them to {register:#x}")

    def steps(self):
        return [
            (f"{self.name}: the adapter is a bus of the kernel", self.plug),
            (f"{self.name}: the driver identifies the chip", self.is_bound),
            (f"{self.name}: the driver reads the samples in each range", self.has_ranges),
            (f"{self.name}: the driver reads the samples at each rate", self.has_rates),
            (f"{self.name}: the model defines all accesses of the driver", self.has_only_defined_accesses),
            (f"{self.name}: the adapter is unplugged", self.pull),
        ]

    def refusal(self):
        return [
            (f"another chip at the address of the {self.name}: the adapter is a bus of the kernel", self.plug),
            (f"another chip at the address of the {self.name}: the driver refuses it", self.is_refused),
            (f"another chip at the address of the {self.name}: the adapter is unplugged", self.pull),
        ]


def main():
    is_right = True
    for name in DRIVERS:
        for make_steps in (lambda: Sensor(name).steps(), lambda: Sensor(name).refusal()):
            passed = steps.run(make_steps())
            if not passed:
                print("the kernel:", *kernel_story().splitlines()[-STORY:], sep="\n   ", flush=True)
                cable.detach(PORT)
            is_right &= passed
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
