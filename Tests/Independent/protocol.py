"""The numbers of the protocol, read from the header that defines them.

For example, `P.HELLO` is `BRIDGE_HELLO` in bridge_protocol.h. This module does not repeat the numbers in the header.
"""

import re
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
PROTOCOL = ROOT / "Firmware" / "protocol"

NUMBER = r"0x[0-9A-Fa-f]+|\d+"
DEFINITION = re.compile(rf"#define BRIDGE_(\w+) ((?:{NUMBER})u?(?:, (?:{NUMBER}))*)\s*$", re.MULTILINE)
ENUMERATOR = re.compile(rf"^\s+BRIDGE_(\w+) = ({NUMBER}),", re.MULTILINE)


def read_header(path):
    """Returns all numbers in the header, keyed by their names without the prefix. A list becomes a tuple."""
    text = re.sub(r"\s*/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    names = {}
    for name, value in DEFINITION.findall(text) + ENUMERATOR.findall(text):
        numbers = tuple(int(number, 0) for number in re.findall(NUMBER, value))
        names[name] = numbers if "," in value else numbers[0]
    return SimpleNamespace(**names)


P = read_header(PROTOCOL / "bridge_protocol.h")


def signed(value, bits):
    """Returns the difference `value` of two wrapping counters of `bits` bits as a signed number."""
    half = 1 << (bits - 1)
    return ((value + half) & ((1 << bits) - 1)) - half


def unwrapped(wire_time, now):
    """Returns the time that is nearest to `now` and whose lower 32 bits are the time on the wire (SPEC 5)."""
    return now + signed(wire_time - now, 32)
