"""A soak test of the WebSockets for pages and for Buttplug messages: soak_doors.py FOLDER_OF_THE_PROGRAMS SECONDS
[SEED]

Pages and Buttplug clients play a level. Then they are killed, hang, send nonsense, bytes, 16 MB or a flood, or do not
read. Meanwhile a witness program taps on the same board. The taps of the witness must be on the bus as requested, no
other level may be stronger than the clients' levels, and the server's memory must not grow.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import time

import websockets

from board import ServedBoard
from check_buttplug import VERSION_3, VERSION_4, full
from check_pages import HELLO, LEVEL, ORIGIN, PAGE, memory
from witness import FULL, Witness

NONSENSE = ("nonsense", "{}", "[]", "[" * 600, "", "\0", '{"type":"start"}', '[{"Ping":{"Id":-1}}]', '{"type":3}')
# The number of clients that are connected at the same time.
CLIENTS = 6
# The time after which a client stops flooding the server, and the time after the end of the soak within which the
# clients must end, in seconds.
PATIENCE, CLOSING = 3, 60
# The maximum growth of the server's memory after its first seconds, in kB.
GROWTH = 16_000


class Door:
    """The first messages from a client that plays, the messages that the client repeats, and its keep-alive message."""

    def __init__(self, address, hello, level, **options):
        self.address, self.hello, self.level, self.options = address, hello, level, options
        self.is_page = "origin" in options

    async def begin(self):
        client = await websockets.connect(self.address, ping_interval=None, close_timeout=0.2, **self.options)
        for message in self.hello:
            await client.send(json.dumps(message))
        if self.is_page:  # A page must not play before it has received `started`.
            while json.loads(await client.recv())["type"] != "started":
                pass
        for message in self.level:
            await client.send(json.dumps(message))
        return client


async def be_closed(client):
    """Reads until the server closes the connection, which raises `ConnectionClosed`."""
    while True:
        await client.recv()


async def be_killed(client, door, generator):
    await asyncio.sleep(generator.uniform(0, 0.2))
    client.transport.abort()


async def hang(client, door, generator):
    """Sends nothing. The server ends the players of a silent page sooner than those of a silent Buttplug client."""
    if door.is_page:
        while json.loads(await client.recv())["type"] != "lost":
            pass
    else:
        await asyncio.sleep(generator.uniform(0.3, 1.5))
    client.transport.abort()


async def send_nonsense(client, door, generator):
    await client.send(generator.choice(NONSENSE))
    await asyncio.sleep(0.1)
    await client.send(bytes(generator.randrange(256) for _ in range(generator.randrange(100))))
    await be_closed(client)


async def send_too_much(client, door, generator):
    await client.send("[" + " " * (16 << 20) + "]")
    await be_closed(client)


async def flood(client, door, generator):
    """Sends as fast as the server reads. The client does not read all answers, so the server stops reading from the
    client, and the client ends after its time limit."""
    try:
        await asyncio.wait_for(send_often(client, door, generator), PATIENCE)
    except asyncio.TimeoutError:
        pass


async def send_often(client, door, generator):
    text = json.dumps(door.level[-1] if door.level[-1] != LEVEL[-1] else {"type": "clock", "time": 1})
    end = time.monotonic() + generator.uniform(0.2, 1)
    while time.monotonic() < end:
        await client.send(text)
    client.transport.abort()


async def be_deaf(client, door, generator):
    client.transport.pause_reading()
    await flood(client, door, generator)


async def close(client, door, generator):
    await asyncio.sleep(generator.uniform(0, 0.2))
    await client.close()


BEHAVIORS = (be_killed, hang, send_nonsense, send_too_much, flood, be_deaf, close)


async def misbehave(doors, generator, end, counts):
    while time.monotonic() < end:
        door, behavior = generator.choice(doors), generator.choice(BEHAVIORS)
        client = None
        try:
            client = await door.begin()
            # A client that waits for an event ends only when this event occurs, so the soak fails if the server does
            # not react.
            await behavior(client, door, generator)
        except (websockets.ConnectionClosed, ConnectionError):
            pass  # The server may have closed the connection.
        finally:
            if client:
                client.transport.abort()
        counts[behavior.__name__] = counts.get(behavior.__name__, 0) + 1


async def clients(pages, buttplug, seconds, seed):
    doors = [Door(pages, [HELLO], LEVEL, origin=ORIGIN), Door(buttplug, [VERSION_4], [full(PAGE)])]
    scalar = {"Index": 0, "Scalar": PAGE / FULL, "ActuatorType": "Vibrate"}
    doors.append(Door(buttplug, [VERSION_3], [[{"ScalarCmd": {"Id": 3, "DeviceIndex": 0, "Scalars": [scalar]}}]]))
    counts, end = {}, time.monotonic() + float(seconds)
    await asyncio.gather(*(
        misbehave(doors, random.Random(f"{seed} {number}"), end, counts) for number in range(CLIENTS)))
    print(json.dumps(counts))


def soak(board, seconds, seed):
    """Runs the clients in a process with low priority, so that they do not slow down the simulated board."""
    addresses = [board.served[name] for name in ("websocket", "buttplug")]
    words = [sys.executable, "-B", __file__, "--clients", *addresses, seconds, seed]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: os.nice(19))
    time.sleep(min(10, float(seconds) / 3))
    before = memory(board)
    output, _ = process.communicate(timeout=float(seconds) + CLOSING)
    return json.loads(output), memory(board) - before


def main():
    if sys.argv[1] == "--clients":
        return asyncio.run(clients(*sys.argv[2:]))
    programs, seconds, *rest = sys.argv[1:]
    seed = rest[0] if rest else "1"
    options = ("--buttplug", "0", "--websocket", "0", "--websocket-origin", ORIGIN)
    with ServedBoard(programs, *options, is_urgent=True) as board:
        with Witness(board) as witness:
            counts, growth = soak(board, seconds, seed)
        board.wait_for_rest()
        strange = {level for _, level in board.levels() if PAGE + 3 < level < FULL - 3}
        assert not strange, f"levels that no program has requested: {strange}"
    assert growth <= GROWTH, f"the memory of the server has grown by {growth} kB"
    print(f"seed {seed}: {counts}; {witness}; memory {growth:+} kB")


if __name__ == "__main__":
    main()
