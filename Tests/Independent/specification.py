"""Checks the tables and examples of SPEC.md against the vectors and the rules in the document itself."""

import re

import frames
import messages
from protocol import P, PROTOCOL
from report import expect, expect_equal
from vectors import SESSION, VECTORS, lines

TEXT = (PROTOCOL / "SPEC.md").read_text()
HEADING = re.compile(r"^#### (?:([0-9A-F]{2}) )?(\w+),.*?\b(\d+) bytes?(.*)$")
ROW = re.compile(r"^\| (\d+) \| (\d+) \| (\w+) \|")


def tables():
    """Yields the type, name, size and first table of each message, and whether a list or bytes follow."""
    heading, rows = None, []
    for line in TEXT.splitlines() + ["#"]:
        if line.startswith("#"):
            if heading:
                yield heading, rows
            heading, rows = HEADING.match(line), []
        elif heading and (row := ROW.match(line)):
            rows.append((int(row[1]), int(row[2]), row[3]))


def fields_of(heading, rows):
    """Returns the rows of the message, without the rows of the list that follows."""
    size = int(heading[3])
    end = next((index for index, row in enumerate(rows) if index and row[0] == 0), len(rows))
    place = 0
    for offset, width, name in rows[:end]:
        expect_equal(offset, place, f"the offset of {heading[2]}.{name}")
        place += width
    expect_equal(place, size, f"the size of {heading[2]}")
    return rows[:end]


def check_tables():
    known = {fields[1]: fields for fields in lines(VECTORS / "messages.txt")}
    found = set()
    for heading, rows in tables():
        fields = fields_of(heading, rows)
        if heading[1] is None:
            continue
        name = heading[2]
        found.add(name)
        vector = known[name]
        expect_equal(int(heading[1], 16), int(vector[0], 16), f"the type of {name}")
        expect_equal(int(heading[3]), getattr(P, name + "_SIZE"), f"the size of {name} in the header")
        check_values(name, fields, vector)
    expect_equal(found, set(known), "the messages that the specification describes")


def check_values(name, fields, vector):
    """Compares the bytes at the offset of each field with the field's value in the vector."""
    payload = bytes.fromhex("".join(vector[vector.index(":") + 1 :]))
    values = dict(field.split("=", 1) for field in vector[2 : vector.index(":")])
    for offset, size, field in fields:
        if field == "configuration":
            continue
        expected = values[field]
        if size > 8:  # a byte string
            expect_equal(payload[offset : offset + size].hex(), expected, f"{name}.{field}")
            continue
        number = int(expected, 16 if expected.startswith("0x") else 10)
        expect_equal(
            int.from_bytes(payload[offset : offset + size], "little"), number, f"{name}.{field}"
        )


def check_configuration():
    heading, rows = next(entry for entry in tables() if entry[0][2] == "configuration")
    fields = [(name, offset, size) for offset, size, name in fields_of(heading, rows)]
    expected, place = [], 0
    for field in messages.CONFIGURATION_FIELDS.split():
        name, code = field.split(":")
        size = {"B": 1, "H": 2, "12s": 12}[code]
        expected.append((name, place, size))
        place += size
    expect_equal(fields, expected, "the fields of a configuration")


def check_examples():
    """Checks that the body and the wire bytes of each example match and belong to the session of the examples."""
    examples = re.findall(r"^(\w+) +body +([0-9A-F ]+)\n +wire +([0-9A-F ]+)$", TEXT, re.MULTILINE)
    classes = set()
    for name, body, wire in examples:
        body, wire = bytes.fromhex(body), bytes.fromhex(wire)
        expect_equal(body[0], getattr(P, name), f"the type of the example {name}")
        expect_equal(wire[-1], P.DELIMITER, f"the delimiter of the example {name}")
        frame = frames.decode(wire[:-1], SESSION)
        expect(frame is not None, f"the example {name} is damaged")
        expect_equal(frames.body_of(frame, SESSION), body, f"the body of the example {name}")
        classes.add(body[0] & P.CLASS_MASK & ~P.FROM_DEVICE)
    expect_equal(
        classes,
        {P.CLASS_CONNECT, P.CLASS_URGENT, P.CLASS_QUERY, P.CLASS_SEQUENCED},
        "the classes with an example",
    )


def checks():
    yield "the specification's tables agree with the vectors", check_tables
    yield "the specification's configuration has its fields in order", check_configuration
    yield "the specification's examples are frames of their session", check_examples
