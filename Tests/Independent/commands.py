"""The effects of sequenced messages on the device, and the reasons for their rejection (SPEC 4.4)."""

from types import SimpleNamespace

import actuator
from actuator import Refused
from messages import LAYOUTS
from player import FRACTION, Player, Segment
from protocol import P, signed, unwrapped

SMALLEST_MEMORY = 32
SCALE_MIN = 1 << FRACTION - 4
SCALE_MAX = 255 << FRACTION
REVISE_EVENTS_OFFSET = P.REVISE_SIZE
EVENTS_OFFSET = P.EVENTS_SIZE
ALL_ACTUATORS = 0x0001


def offset(message, field):
    return LAYOUTS[message].offset(field)


def open_player(device, message):
    """Returns the player of an open stream. The limit in REJECT with NO_STREAM is the highest stream number, or 0 if
    the stream is not open."""
    require_stream(message.stream)
    if device.player.state == P.STREAM_CLOSED:
        raise Refused(P.REJECT_NO_STREAM)
    return device.player


def require_stream(number):
    if number != 0:
        raise Refused(P.REJECT_NO_STREAM, 0, 0)


def require_actuator(number):
    if number != 0:
        raise Refused(P.REJECT_NO_ACTUATOR, 0, 0)


def check_scale(message_name, scale):
    nearest = min(max(scale, SCALE_MIN), SCALE_MAX)
    if nearest != scale:
        raise Refused(P.REJECT_RANGE, offset(message_name, "scale"), nearest)


def check_time(message_name, time, now):
    if abs(time - now) >= P.TIME_SPAN_US:
        raise Refused(P.REJECT_TIME, offset(message_name, "time"), now & 0xFFFFFFFF)


# ---- Streams ----


def open_stream(device, message, now):
    require_stream(message.stream)
    if message.actuators == 0 or message.actuators & ~ALL_ACTUATORS:
        raise Refused(P.REJECT_NO_ACTUATOR, offset("OPEN", "actuators"), ALL_ACTUATORS)
    memory = message.memory or device.event_memory
    nearest = min(max(memory, SMALLEST_MEMORY), device.event_memory)
    if nearest != memory:
        raise Refused(P.REJECT_MEMORY, offset("OPEN", "memory"), nearest)
    configuration = device.actuator.configuration
    if configuration is None:
        raise Refused(P.REJECT_UNCONFIGURED, offset("OPEN", "actuators"), 0)
    device.close_stream(now)
    device.player = Player(memory, lambda sharpness: actuator.tap_length(configuration, sharpness))
    device.stream_actuators = message.actuators
    device.granted = memory


def close_stream(device, message, now):
    require_stream(message.stream)
    device.close_stream(now)


def start(device, message, now):
    player = open_player(device, message)
    check_scale("START", message.scale)
    if message.flags & P.START_FLAG_RELATIVE:
        time = now + signed(message.time, 32)
    else:
        time = unwrapped(message.time, now)
    check_time("START", time, now)
    if player.state != P.STREAM_OPEN or player.revision:
        raise Refused(P.REJECT_IN_USE)
    if message.generation != player.newest().generation:
        raise Refused(P.REJECT_RANGE, offset("START", "generation"), player.newest().generation)
    player.start(time, message.scale)


def scale(device, message, now):
    player = open_player(device, message)
    check_scale("SCALE", message.scale)
    player.change_scale(message.tick, message.scale)


def take_events(device, message, now):
    """Acknowledges events, and discards the events if their generation is not the newest."""
    player = open_player(device, message)
    if message.generation != player.newest().generation:
        return
    if len(message.tail) > player.room():
        raise Refused(P.REJECT_CREDIT, EVENTS_OFFSET, player.event_limit() & 0xFFFF)
    player.feed(message.tail)


def revise(device, message, now):
    player = open_player(device, message)
    expected = (player.newest().generation + 1) & 0xFF
    if message.generation != expected:
        raise Refused(P.REJECT_RANGE, offset("REVISE", "generation"), expected)
    time = unwrapped(message.time, now)
    check_time("REVISE", time, now)
    waiting = player.revision
    if waiting and time > waiting.time:
        raise Refused(P.REJECT_PENDING, offset("REVISE", "time"), waiting.time & 0xFFFFFFFF)
    if len(message.tail) > player.room_for_revision():
        raise Refused(P.REJECT_CREDIT, REVISE_EVENTS_OFFSET, player.room_for_revision())
    revision = Segment(message.generation, message.level, max(time, now))
    revision.feed(message.tail)
    player.revise(revision)
    device.granted = player.event_limit()


def gain(device, message, now):
    if message.actuators == 0 or message.actuators & ~ALL_ACTUATORS:
        raise Refused(P.REJECT_NO_ACTUATOR, offset("GAIN", "actuators"), ALL_ACTUATORS)
    device.actuator.gain = message.gain


def clear_faults(device, message, now):
    if message.fault_total == device.fault_total:
        device.faults &= ~message.faults


# ---- Actuators ----


def require_rest(device):
    if device.actuator.state in (P.ACTUATOR_STARTING, P.ACTUATOR_AT_REST):
        return
    raise Refused(P.REJECT_NOT_AT_REST, 0, device.actuator.state)


def configure(device, message, now):
    require_actuator(message.actuator)
    if device.actuator.state != P.ACTUATOR_UNCONFIGURED:
        require_rest(device)
    if device.actuator.lock:
        actuator.check_lock(message, device.actuator.lock)
        actuator.keep_calibration(message, device.actuator.configuration)
    actuator.check_configuration(message)
    device.actuator.configure(message, now)


def calibrate(device, message, now):
    """Calibrates or diagnoses. A calibration and a diagnosis take the same time and always succeed."""
    require_actuator(message.actuator)
    if device.actuator.state == P.ACTUATOR_UNCONFIGURED:
        raise Refused(P.REJECT_UNCONFIGURED, 0, device.actuator.state)
    if device.actuator.state != P.ACTUATOR_AT_REST:
        raise Refused(P.REJECT_NOT_AT_REST, 0, device.actuator.state)
    if device.actuator.is_too_hot():
        raise Refused(P.REJECT_BUDGET)
    if device.actuator.muted:
        raise Refused(P.REJECT_MUTED)
    device.actuator.calibrate(now)


def require_configuration(device, number):
    require_actuator(number)
    if device.actuator.configuration is None:
        raise Refused(P.REJECT_UNCONFIGURED)


def save(device, message, now):
    """Checks the message but stores nothing, because this program keeps no data after its end."""
    require_configuration(device, message.actuator)


def lock(device, message, now):
    require_configuration(device, message.actuator)
    device.actuator.lock = SimpleNamespace(**vars(device.actuator.configuration))


def enter_bootloader(device, message, now):
    raise Refused(P.REJECT_UNSUPPORTED)


def record(device, message, now):
    """This device has no sensor."""
    raise Refused(P.REJECT_UNSUPPORTED, 0, 0)


HANDLERS = {
    "OPEN": open_stream,
    "CLOSE": close_stream,
    "START": start,
    "SCALE": scale,
    "EVENTS": take_events,
    "REVISE": revise,
    "GAIN": gain,
    "CLEAR_FAULTS": clear_faults,
    "CONFIGURE": configure,
    "CALIBRATE": calibrate,
    "DIAGNOSE": calibrate,
    "SAVE": save,
    "ENTER_BOOTLOADER": enter_bootloader,
    "LOCK": lock,
    "RECORD": record,
}
