"""An actuator without a chip: the configuration, the states and the values of the level register (SPEC 8)."""

import math

from messages import LAYOUTS
from protocol import P

# The image consists of the chip's registers 0x03 and 0x16 to 0x20; the datasheet describes their bits (SLOS854D 8.6).
IMAGE_PLACE = {0x03: 0, **{register: register - 0x15 for register in range(0x16, 0x21)}}
KIND_IS_LRA = 0x80  # bit of 0x1A
BIDIRECTIONAL = 0x80  # bit of 0x1C
ERM_OPEN_LOOP, UNSIGNED, LRA_OPEN_LOOP = 0x20, 0x08, 0x01  # bits of 0x1D
# The bits that must not be set: SUPPLY_COMP_DIS, OTP_PROGRAM and LRA_AUTO_OPEN_LOOP.
FORBIDDEN = ((0x1D, 0x10), (0x1E, 0x01), (0x1F, 0x20))

SAMPLE_TIMES_US = (150, 200, 250, 300)
DISSIPATION_TIMES_US = (45, 75, 150, 225)

STARTING_US = 5_000
WAKING_US = 1_000
CALIBRATING_US = 500_000


class Refused(Exception):
    """The exception that is raised if the device rejects a message, with the code, the offset and the limit of
    REJECT."""

    def __init__(self, code, offset=0, limit=0):
        super().__init__(code, offset, limit)
        self.code, self.offset, self.limit = code, offset, limit


def register(configuration, address):
    return configuration.image[IMAGE_PLACE[address]]


def offset_of(field):
    return LAYOUTS["CONFIGURE"].offset(field)


def offset_of_register(address):
    return offset_of("image") + IMAGE_PLACE[address]


def is_closed_loop(configuration):
    mask = LRA_OPEN_LOOP if configuration.kind == P.KIND_LRA else ERM_OPEN_LOOP
    return not register(configuration, 0x1D) & mask


def is_signed(configuration):
    return not register(configuration, 0x1D) & UNSIGNED


# ---- Checks ----


def check_configuration(c):
    """Checks a configuration. Raises Refused for the first rule that the configuration violates."""
    if c.kind not in (P.KIND_LRA, P.KIND_ERM):
        raise Refused(P.REJECT_RANGE, offset_of("kind"), P.KIND_LRA)
    if bool(register(c, 0x1A) & KIND_IS_LRA) != (c.kind == P.KIND_LRA):
        raise Refused(P.REJECT_RANGE, offset_of_register(0x1A), register(c, 0x1A) ^ KIND_IS_LRA)
    for address, bit in FORBIDDEN:
        if register(c, address) & bit:
            raise Refused(P.REJECT_RANGE, offset_of_register(address), register(c, address) & ~bit)
    check_most(c, "rated", P.RATED_MV_MAX)
    check_most(c, "overdrive", P.OVERDRIVE_MV_MAX)
    check_level_format(c)
    check_least(c, "tap_sharp", 1_000)
    check_least(c, "tap_dull", c.tap_sharp)
    check_least(c, "brake", 10)
    check_least(c, "level_max", 1)
    check_least(c, "sustained", 16)
    check_least(c, "curve_mid", c.curve_low)
    check_least(c, "curve_high", c.curve_mid)
    if c.kind == P.KIND_LRA:
        check_resonance(c)
    check_voltage(c, 0x16, c.rated, rated_voltage)
    check_voltage(c, 0x17, c.overdrive, clamp_voltage)
    if not is_closed_loop(c):
        check_voltage(c, 0x17, c.rated, open_voltage)


def check_least(c, field, least):
    if getattr(c, field) < least:
        raise Refused(P.REJECT_LIMIT, offset_of(field), least)


def check_most(c, field, most):
    if getattr(c, field) > most:
        raise Refused(P.REJECT_LIMIT, offset_of(field), most)


def check_level_format(c):
    """Checks the polarity, which is either bidirectional and signed, or, in a closed loop only, unidirectional and
    unsigned."""
    format = register(c, 0x1D)
    bidirectional = bool(register(c, 0x1C) & BIDIRECTIONAL)
    if is_signed(c) != bidirectional or not is_signed(c) and not is_closed_loop(c):
        raise Refused(P.REJECT_RANGE, offset_of_register(0x1D), format ^ UNSIGNED)


def check_voltage(c, address, most, voltage):
    """Checks a voltage. `voltage` is a function that returns the voltage, in millivolts, for a value of the
    register."""
    legal = register(c, address)
    while legal and voltage(c, legal) > most:
        legal -= 1
    if legal != register(c, address):
        raise Refused(P.REJECT_LIMIT, offset_of_register(address), legal)


def rated_voltage(c, value):
    """Returns the voltage for a value of register 0x16."""
    if c.kind == P.KIND_ERM:
        return (value - 0.125) * 21.18
    sample_us = SAMPLE_TIMES_US[register(c, 0x1C) >> 4 & 3]
    squared = 1 - (4 * sample_us + 300) * 1e-6 * c.resonance / 10
    return (value - 0.5) * 20.58 / math.sqrt(squared) if squared > 0 else math.inf


def clamp_voltage(c, value):
    """Returns the voltage for a value of register 0x17."""
    if c.kind == P.KIND_LRA:
        return (value - 0.125) * 21.22
    times = register(c, 0x1C)
    off_us = DISSIPATION_TIMES_US[times & 3] + DISSIPATION_TIMES_US[times >> 2 & 3]
    drive_us = 1000 + 200 * (register(c, 0x1B) & 0x1F)
    return (value - 0.125) * 21.64 * (drive_us - 300) / (drive_us + off_us)


def open_voltage(c, value):
    """Returns the voltage for a value of register 0x17 in an open loop."""
    if c.kind == P.KIND_LRA:
        return (value - 0.5) * 21.32 * math.sqrt(1 - 800e-6 * c.resonance / 10)
    return (value - 0.125) * 21.59


def check_resonance(c):
    check_most(c, "resonance", 3000)
    check_least(c, "resonance", 1250)
    period = 1e6 / 98.46 / (c.resonance / 10)
    if not is_closed_loop(c) and abs(register(c, 0x20) - period) > 1:
        raise Refused(P.REJECT_RANGE, offset_of_register(0x20), int(period))


def check_lock(c, lock):
    if c.kind != lock.kind or is_closed_loop(c) != is_closed_loop(lock):
        locked = lock.kind + (0 if is_closed_loop(lock) else 128)
        raise Refused(P.REJECT_RANGE, offset_of("kind"), locked)
    if c.resonance != lock.resonance:
        raise Refused(P.REJECT_RANGE, offset_of("resonance"), lock.resonance)
    for field in ("rated", "overdrive", "sustained", "budget"):
        check_most(c, field, getattr(lock, field))


def keep_calibration(c, present):
    """Checks that a host changes no result of a calibration while the actuator is locked."""
    image = bytearray(c.image)
    for address, mask in ((0x18, 0xFF), (0x19, 0xFF), (0x1A, 0x03)):
        place = IMAGE_PLACE[address]
        image[place] = image[place] & ~mask | present.image[place] & mask
    c.image, c.calibration = bytes(image), present.calibration


# ---- Levels ----


def tap_length(c, sharpness):
    return c.tap_dull - ((c.tap_dull - c.tap_sharp) * sharpness * 257 + 32768) // 65536


def along_curve(c, level):
    if level == 0:
        return 0
    if level <= 128:
        return (2 * (c.curve_low * 128 + (c.curve_mid - c.curve_low) * level) + 128) // 256
    return (2 * (c.curve_mid * 127 + (c.curve_high - c.curve_mid) * (level - 128)) + 127) // 254


class Actuator:
    """An actuator that needs as much time as a real chip for its setup, for waking and for coming to rest."""

    def __init__(self):
        self.state = P.ACTUATOR_UNCONFIGURED
        self.configuration = None
        self.lock = None
        self.calibrations = 0
        self.until = None
        self.wanted = False
        self.gain = 255
        self.muted = False
        self.value = 0
        self.heat = 0
        self.heat_counted = 0

    def configure(self, configuration, now):
        self.configuration = configuration
        self.calibrations = configuration.calibration & 0x0F
        self.enter(P.ACTUATOR_STARTING, now + STARTING_US)

    def enter(self, state, until=None):
        self.state, self.until = state, until

    def wake(self):
        self.wanted = True

    def rest(self, now):
        if self.wanted and self.state == P.ACTUATOR_AT_REST:
            self.until = None
        self.wanted = False
        if self.state == P.ACTUATOR_AWAKE:
            self.brake(now)

    def brake(self, now):
        self.enter(P.ACTUATOR_COMING_TO_REST, now + self.configuration.brake * 1000)

    def calibrate(self, now):
        self.enter(P.ACTUATOR_CALIBRATING, now + CALIBRATING_US)

    def end_calibration(self, now, result):
        """Ends a calibration or diagnosis. The low nibble of `calibrations` contains the result of the calibration, and
        the high nibble the result of the diagnosis."""
        if self.state == P.ACTUATOR_CALIBRATING:
            self.calibrations = self.calibrations & 0xF0 | result
            self.brake(now)

    def advance(self, now):
        if self.wanted and self.state == P.ACTUATOR_AT_REST and self.until is None:
            self.until = now + WAKING_US
        while self.until is not None and self.until <= now:
            self.count_heat(self.until)
            self.leave_state(self.until)
        self.count_heat(now)

    def leave_state(self, now):
        if self.state == P.ACTUATOR_AT_REST:
            self.enter(P.ACTUATOR_AWAKE if self.wanted else P.ACTUATOR_AT_REST)
        elif self.state == P.ACTUATOR_CALIBRATING:
            self.end_calibration(now, P.CALIBRATION_PASSED)
        else:
            self.enter(P.ACTUATOR_AT_REST, now + WAKING_US if self.wanted else None)

    def next_time(self):
        times = [] if self.until is None else [self.until]
        if self.is_driven() and self.configuration.sustained < 255:
            times.append(self.heat_counted + P.HEAT_STEP_US)
        return min(times, default=None)

    def is_driven(self):
        return self.state in (P.ACTUATOR_AWAKE, P.ACTUATOR_CALIBRATING)

    def count_heat(self, now):
        """Adds the energy of the drive since the last call (SPEC 8, Budget). A calibration counts as full level."""
        span = now - self.heat_counted
        self.heat_counted = now
        if not self.configuration or self.configuration.sustained == 255:
            self.heat = 0
            return
        signed = is_signed(self.configuration)
        value = self.value * 2 if signed else self.value
        if self.state == P.ACTUATOR_CALIBRATING:
            value = 255
        sustained = self.configuration.sustained & (0xFE if signed else 0xFF)
        self.heat = max(0, self.heat + (value**2 - sustained**2) * span)

    def is_too_hot(self):
        return bool(self.configuration) and self.heat > self.configuration.budget * 65_536 * P.HEAT_STEP_US

    def register_value(self, level):
        """Returns the value of the register for a level of the stream (SPEC 6)."""
        c = self.configuration
        level = 0 if self.muted else (2 * level * self.gain + 255) // 510
        value = min(along_curve(c, level), c.level_max)
        if self.is_too_hot():
            value = min(value, c.sustained)
        return value // 2 if is_signed(c) else value
