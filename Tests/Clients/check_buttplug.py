"""Plays on the virtual board with messages of the Buttplug specification: messages from the client on PyPI, and literal
texts.

check_buttplug.py FOLDER_OF_THE_PROGRAMS [SCHEMA]

SCHEMA is the JSON schema of the messages (buttplug-schema.json). Each text from the server must satisfy it. If the
file does not exist, this check is skipped.
"""

import asyncio
import copy
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import buttplug.connector
import jsonschema
import websockets
from buttplug import ButtplugClient, DeviceOutputCommand, OutputType

from board import ServedBoard

# The maximum time from the end of a client until the actuator is at rest, in seconds.
REST = 0.3
VERSION_3 = [{"RequestServerInfo": {"Id": 1, "ClientName": "test", "MessageVersion": 3}}]
VERSION_4 = [{"RequestServerInfo": {
    "Id": 1, "ClientName": "test", "ProtocolVersionMajor": 4, "ProtocolVersionMinor": 0}}]
ORIGIN = "https://example.com"

# The texts that the server has sent.
received = []


def full(level=255, feature=0):
    command = {"Vibrate": {"Value": level}}
    return [{"OutputCmd": {"Id": 2, "DeviceIndex": 0, "FeatureIndex": feature, "Command": command}}]


def expect(is_fulfilled, what):
    if not is_fulfilled:
        sys.exit(f"{what}: not as expected")
    print(f"{what}: as expected")


def last_level(board, actuator=0):
    return ([0] + [level for _, level in board.levels(actuator)])[-1]


async def settles(board, level, within=5.0, actuator=0):
    """Waits until the level on the bus equals the given level. Returns the time of the wait, or None after
    a timeout."""
    begin = time.monotonic()
    while last_level(board, actuator) != level:
        if time.monotonic() - begin > within:
            return None
        await asyncio.sleep(0.005)
    return time.monotonic() - begin


async def expect_level(board, level, what, actuator=0):
    expect(await settles(board, level, actuator=actuator) is not None, f"{what} ({level})")


async def expect_rest(board, what):
    took = await settles(board, 0, within=REST)
    expect(took is not None, f"{what}, then rest within {took or REST:.3f} s")


class Texts:
    """A client that sends literal texts."""

    def __init__(self, address, hello=None, **options):
        self.connection = websockets.connect(address, **options)
        self.hello = hello

    async def __aenter__(self):
        self.socket = await self.connection
        if self.hello:
            await self.ask(self.hello)
        return self

    async def __aexit__(self, *_):
        await self.socket.close()

    async def ask(self, messages):
        """Sends messages or a text. Returns the next message from the server."""
        await self.socket.send(messages if isinstance(messages, str) else json.dumps(messages))
        return await self.next()

    async def next(self):
        messages = json.loads(await asyncio.wait_for(self.socket.recv(), 10))
        received.append(messages)
        return messages[0]

    async def is_closed(self, code):
        try:
            await asyncio.wait_for(self.socket.recv(), 10)
        except websockets.ConnectionClosed as closed:
            return closed.rcvd is not None and closed.rcvd.code == code
        return False


# ---- The client of PyPI --------------------------------------------------------------------------------


async def play_with_package(board, address):
    parse = buttplug.connector.parse_messages

    def recorded(messages):
        received.append(copy.deepcopy(messages))  # The package modifies the messages that it receives.
        return parse(messages)

    buttplug.connector.parse_messages = recorded
    client = ButtplugClient("test")
    errors, finished = [], asyncio.Event()
    client.on_error = errors.append
    client.on_scanning_finished = finished.set
    await client.connect(address)
    await client.start_scanning()
    await asyncio.wait_for(finished.wait(), 5)
    expect([device.name for device in client.devices.values()] == ["Haptic Bridge board"], "package: a scan")
    device = client.devices[0]
    await device.run_output(DeviceOutputCommand(OutputType.VIBRATE, 0.5))
    await expect_level(board, 128, "package: half of the level")
    await asyncio.sleep(6)  # The level is held for longer than the ping time, because the client sends pings.
    expect(last_level(board) == 128 and client.connected, "package: a level is held")
    await device.run_output(DeviceOutputCommand(OutputType.VIBRATE, 1.0))
    await expect_level(board, 255, "package: the full level")
    await device.stop()
    await expect_level(board, 0, "package: a stop")
    await device.run_output(DeviceOutputCommand(OutputType.VIBRATE, 1.0))
    await expect_level(board, 255, "package: the level after a stop")
    await client.disconnect()
    await expect_rest(board, "package: it disconnects")
    expect(not errors, "package: no errors")


# ---- Literal texts ---------------------------------------------------------------------------------------


async def play_version_3(board, address):
    async with Texts(address) as client:
        info = await client.ask(VERSION_3)
        expect(info["ServerInfo"]["MessageVersion"] == 3, "version 3: handshake")
        await client.ask([{"StartScanning": {"Id": 2}}])
        added = (await client.next())["DeviceAdded"]
        expect("ScanningFinished" in await client.next(), "version 3: a scan")
        scalar = {"Index": 0, "Scalar": 0.5, "ActuatorType": "Vibrate"}
        expect(len(added["DeviceMessages"]["ScalarCmd"]) == 1, "version 3: one vibrator")
        await client.ask([{"ScalarCmd": {"Id": 3, "DeviceIndex": 0, "Scalars": [scalar]}}])
        await expect_level(board, 128, "version 3: half of the level")
        await client.ask([{"StopDeviceCmd": {"Id": 4, "DeviceIndex": 0}}])
        await expect_level(board, 0, "version 3: a stop")
        await client.ask([{"ScalarCmd": {"Id": 5, "DeviceIndex": 0, "Scalars": [scalar]}}])
        await expect_level(board, 128, "version 3: the level after a stop")
        await client.ask([{"StopAllDevices": {"Id": 6}}])
        await expect_level(board, 0, "version 3: a stop of all devices")
        await client.ask([{"RequestDeviceList": {"Id": 7}}])


async def send_nonsense(board, address):
    async with Texts(address, VERSION_4) as client:
        for text in ("nonsense", "{}", "[]", "[" * 600, '[{"Ping": {"Id": -1}}]', '[{"Vibrate": {"Id": 1}}]'):
            error = (await client.ask(text))["Error"]
            expect(error["ErrorCode"] == 3, f"{text[:30]} is refused: {error['ErrorMessage']}")
        await client.ask(full())
        await expect_level(board, 255, "the session continues")
        try:
            await client.socket.send("[" + " " * (16 << 20) + "]")
        except websockets.ConnectionClosed:
            pass  # The server may close the connection before it has received the whole text.
        error = (await client.next())["Error"]
        expect(error["ErrorCode"] == 3, f"a text of 16 MB is refused: {error['ErrorMessage']}")
        expect(await client.is_closed(1009), "the connection is closed")
        await expect_rest(board, "a text of 16 MB")
    async with Texts(address, VERSION_4) as client:
        await client.ask(full())
        await expect_level(board, 255, "a level before bytes")
        await client.socket.send(b"\0")
        expect(await client.is_closed(1003), "bytes end the connection")
        await expect_rest(board, "bytes")
    async with Texts(address) as client:
        hello = json.dumps(VERSION_4).replace('"ProtocolVersionMajor": 4', '"ProtocolVersionMajor": 9')
        error = (await client.ask(hello))["Error"]
        expect(error["ErrorCode"] == 1 and await client.is_closed(1001), "another version is refused")


async def open_from_pages(address):
    try:
        async with Texts(address, VERSION_4, origin="https://example.org"):
            expect(False, "a page of another origin")
    except websockets.InvalidStatus as refusal:
        expect(refusal.response.status_code == 403, "a page of another origin is refused")
    async with Texts(address, VERSION_4, origin=ORIGIN):
        print("a page of an allowed origin: as expected")


async def play_together(board, address):
    async with Texts(address, VERSION_4) as first:
        await first.ask(full(64))
        await expect_level(board, 64, "the first of two clients")
        async with Texts(address, VERSION_3) as second:
            scalar = {"Index": 0, "Scalar": 1, "ActuatorType": "Vibrate"}
            await second.ask([{"ScalarCmd": {"Id": 3, "DeviceIndex": 0, "Scalars": [scalar]}}])
            await expect_level(board, 255, "the second of two clients")
        await expect_level(board, 64, "the first client again")


# ---- Clients that vanish -----------------------------------------------------------------------------------


async def kill(board, address):
    """Kills a client in another process while the client holds a level."""
    process = subprocess.Popen([sys.executable, "-B", __file__, "--hold", address])
    await expect_level(board, 255, "the level of a client that will be killed")
    process.send_signal(signal.SIGKILL)
    await expect_rest(board, "a client is killed")
    process.wait()


async def hold(address):
    async with Texts(address, VERSION_4) as client:
        await client.ask(full())
        await asyncio.sleep(60)


async def be_silent(board, address):
    async with Texts(address, VERSION_4) as client:
        await client.ask(full())
        begin = time.monotonic()
        await expect_level(board, 255, "the level of a client that will be silent")
        error = (await client.next())["Error"]
        took = time.monotonic() - begin
        expect(error["ErrorCode"] == 2 and abs(took - 5) < REST, f"the ping time has passed ({took:.2f} s)")
        await expect_rest(board, "a silent client")
        expect(await client.is_closed(1001), "the connection is closed")


# ---- Boards with several actuators -------------------------------------------------------------------------


async def play_on_two_actuators(programs):
    with ServedBoard(programs, "--buttplug", "0", board=["--localities", "leftHandle,rightHandle"]) as board:
        async with Texts(board.served["buttplug"], VERSION_4) as client:
            devices = (await client.ask([{"RequestDeviceList": {"Id": 2}}]))["DeviceList"]["Devices"]
            names = [feature["FeatureDescription"] for feature in devices["0"]["DeviceFeatures"].values()]
            expect(names == ["actuator 0, leftHandle", "actuator 1, rightHandle"], "two actuators: their names")
            await client.ask(full(100, feature=0) + full(200, feature=1))
            await client.next()
            await expect_level(board, 100, "two actuators: the level of the first")
            await expect_level(board, 200, "two actuators: the level of the second", actuator=1)
            await client.ask([{"StopCmd": {"Id": 3, "DeviceIndex": 0, "FeatureIndex": 0}}])
            await expect_level(board, 0, "two actuators: the first is stopped")
            expect(last_level(board, 1) == 200, "two actuators: the second continues")
        await expect_level(board, 0, "two actuators: rest", actuator=1)


async def leave_out_a_dead_actuator(programs):
    board = ["--localities", "leftHandle,rightHandle", "--dead", "0"]
    with ServedBoard(programs, "--buttplug", "0", board=board, is_configured=False) as board:
        async with Texts(board.served["buttplug"], VERSION_4) as client:
            devices = (await client.ask([{"RequestDeviceList": {"Id": 2}}]))["DeviceList"]["Devices"]
            names = [feature["FeatureDescription"] for feature in devices["0"]["DeviceFeatures"].values()]
            expect(names == ["actuator 1, rightHandle"], "a dead actuator is not offered")
            await client.ask(full())
            await expect_level(board, 255, "the level of the other actuator", actuator=1)


async def play_on_one_stream(programs):
    board = ["--localities", "leftHandle,rightHandle", "--streams", "1"]
    with ServedBoard(programs, "--buttplug", "0", board=board) as board:
        async with Texts(board.served["buttplug"], VERSION_4) as client:
            devices = (await client.ask([{"RequestDeviceList": {"Id": 2}}]))["DeviceList"]["Devices"]
            expect(list(devices["0"]["DeviceFeatures"]) == ["0"], "one stream: one vibrator")
            await client.ask(full())
            for actuator in (0, 1):
                await expect_level(board, 255, f"one stream: the level of actuator {actuator}", actuator)


# ---- The schema --------------------------------------------------------------------------------------------


def validate(schema):
    if not schema.exists():
        print(f"{schema}: skipped, because the file does not exist")
        return
    schema = json.loads(schema.read_text())
    versions = [jsonschema.Draft7Validator({**schema, "anyOf": [{"$ref": f"#/specs/MessageSpecV{version}"}]})
                for version in (3, 4)]
    for messages in received:
        if not any(version.is_valid(messages) for version in versions):
            sys.exit(f"this text of the server violates the schema: {messages}")
    print(f"{len(received)} texts of the server satisfy the schema")


async def check(programs, schema):
    with ServedBoard(programs, "--buttplug", "0", "--buttplug-origin", ORIGIN) as board:
        address = board.served["buttplug"]
        await play_with_package(board, address)
        await play_version_3(board, address)
        await send_nonsense(board, address)
        await open_from_pages(address)
        await play_together(board, address)
        await kill(board, address)
        await be_silent(board, address)
        async with Texts(address, VERSION_4) as client:
            await client.ask(full())
            await expect_level(board, 255, "the level before the server ends")
            board.server.terminate()
            await expect_rest(board, "the server ends")
    await play_on_two_actuators(programs)
    await play_on_one_stream(programs)
    await leave_out_a_dead_actuator(programs)
    validate(schema)


def main():
    if sys.argv[1] == "--hold":
        return asyncio.run(hold(sys.argv[2]))
    shared = Path(os.environ.get("HAPTIC_BRIDGE_SHARED", "../shared"))
    schema = Path(sys.argv[2]) if len(sys.argv) > 2 else shared / "buttplug/buttplug-schema.json"
    asyncio.run(check(sys.argv[1], schema))


if __name__ == "__main__":
    main()
