"""The fields in the payload of each message, in the order of the specification (SPEC 4)."""

import struct
from types import SimpleNamespace

from protocol import P

CONFIGURATION_FIELDS = (
    "kind:B locality:B resonance:H rated:H overdrive:H tap_dull:H tap_sharp:H rise:B brake:B onset:H"
    " curve_low:B curve_mid:B curve_high:B level_max:B calibration:B image:12s sustained:B budget:H name:12s"
    " time_constant:H acceleration:H start:H running:H"
)

# Each field consists of its name and its struct code; `tail` is the list at the end of some messages.
FIELDS = {
    "HELLO": "version_min:B version_max:B session:I features:I",
    "WELCOME": "version:B version_min:B version_max:B session:I features:I board_id:Q firmware:H"
    " actuators:B streams:B event_memory:H link_window:H body_max:B reset_cause:B boot_count:H clock:I"
    " kind:B",
    "NO_SESSION": "reset_cause:B boot_count:H clock:I",
    "STOP": "id:B next_sequence:B link_total:H",
    "MUTE": "id:B actuators:H muted:B",
    "STOPPED": "id:B",
    "MUTED": "id:B",
    "ACK": "next_sequence:B flags:B link_limit:H rejects:B",
    "REJECT": "type:B code:B offset:B limit:I",
    "OPEN": "stream:B actuators:H memory:H",
    "CLOSE": "stream:B",
    "START": "stream:B generation:B flags:B time:I scale:I",
    "SCALE": "stream:B tick:I scale:I",
    "EVENTS": "stream:B generation:B",
    "REVISE": "stream:B generation:B time:I level:B sharpness:B",
    "GAIN": "actuators:H gain:B",
    "CLEAR_FAULTS": "faults:H fault_total:B",
    "CONFIGURE": "actuator:B " + CONFIGURATION_FIELDS,
    "CALIBRATE": "actuator:B",
    "DIAGNOSE": "actuator:B",
    "SAVE": "actuator:B",
    "ENTER_BOOTLOADER": "",
    "LOCK": "actuator:B",
    "RECORD": "axis:B trigger:B pairs:H",
    "SAMPLES": "count:B gaps:B number:H time:I reached:H bytes:24s",
    "CLOCK": "",
    "GET_STATUS": "",
    "GET_STREAM": "stream:B",
    "GET_ACTUATOR": "actuator:B",
    "GET_CONFIGURATION": "actuator:B",
    "GET_FIRMWARE": "block:H",
    "PROBE": "address:B",
    "CLOCK_REPLY": "receive:I transmit:I",
    "STATUS": "state:B fault_total:B faults:H damaged_frames:H late_events:H latest_us:I skipped_taps:H"
    " underruns:H dead_man_trips:H bus_errors:H chip_resets:H reject_sequence:B reject_type:B"
    " reject_code:B rejects:B gain:B clock:I lost_bytes:H",
    "STREAM": "stream:B generation:B state:B actuators:H capacity:H event_limit:H start_time:I position:I"
    " revise_time:I events:H",
    "ACTUATOR": "actuator:B state:B chip_id:B kind:B calibration:B locality:B resonance:H rated:H"
    " overdrive:H level_bits:B min_update:H frequency_min:H frequency_max:H onset:H rise:H brake:H"
    " tap_dull:H tap_sharp:H supply:H locked:B lra_period:B",
    "CONFIGURATION": "actuator:B " + CONFIGURATION_FIELDS,
    "FIRMWARE": "block:H",
    "PROBED": "address:B",
    "GET_SENSOR": "",
    "SENSOR_STATE": "kind:B recording:B",
}

WITH_TAIL = ("EVENTS", "REVISE", "ACK", "FIRMWARE")
# The minimum sizes of messages whose last fields an older device or host may omit. Omitted fields are 0 (SPEC 4.1).
SHORTEST = {
    "WELCOME": P.WELCOME_SIZE_MIN,
    "STATUS": P.STATUS_SIZE - 2,
    "ACTUATOR": P.ACTUATOR_SIZE - 2,
    "CONFIGURATION": P.CONFIGURE_SIZE_MIN,
    "CONFIGURE": P.CONFIGURE_SIZE_MIN,
}


class Layout:
    def __init__(self, name):
        pairs = [field.split(":") for field in FIELDS[name].split()]
        self.name = name
        self.names = [pair[0] for pair in pairs]
        self.codes = [pair[1] for pair in pairs]
        self.struct = struct.Struct("<" + "".join(self.codes))
        self.size = self.struct.size
        self.least = SHORTEST.get(name, self.size)

    def offset(self, field):
        return struct.calcsize("<" + "".join(self.codes[: self.names.index(field)]))


LAYOUTS = {name: Layout(name) for name in FIELDS}
NAMES = {getattr(P, name): name for name in FIELDS}


def pack(message, /, tail=b"", size=None, **fields):
    """Returns the payload. If `size` is given, omits the fields after this size, as an older device or host does."""
    layout = LAYOUTS[message]
    return layout.struct.pack(*(fields[field] for field in layout.names))[:size] + tail


def unpack(name, payload):
    """Returns the fields, including `tail` if the message ends in a list, or None if the payload is too short."""
    layout = LAYOUTS[name]
    if len(payload) < layout.least:
        return None
    payload = payload.ljust(layout.size, b"\0")
    message = SimpleNamespace(**dict(zip(layout.names, layout.struct.unpack_from(payload))))
    if name in WITH_TAIL:
        message.tail = payload[layout.size :]
    return message


def pack_credits(credits):
    return b"".join(struct.pack("<BBH", *credit) for credit in credits)


def unpack_credits(tail):
    """Returns the (stream, generation, event_limit) of each open stream at the end of an ACK."""
    whole = len(tail) - len(tail) % P.CREDIT_SIZE
    return list(struct.iter_unpack("<BBH", tail[:whole]))
