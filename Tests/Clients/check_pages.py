"""Attacks the WebSocket for pages of a served virtual board: check_pages.py FOLDER_OF_THE_PROGRAMS

Meanwhile, a witness program taps on the same board. The attacks must not disturb its taps.
"""

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import websockets

from board import ServedBoard
from stalls import Stalls
from witness import Witness

ORIGIN = "https://example.com"
HELLO = {"type": "hello", "version": 3, "purpose": "play", "program": "page", "output": True}
LEVEL = [
    {"type": "pattern", "player": 1, "events": [[1, 0, 60_000_000, 0.25, 0.5]], "more": True},
    {"type": "add", "player": 1, "more": True}, {"type": "start", "player": 1},
]
# The level that the page plays. This level is on the bus between the taps of the witness.
PAGE = 64
# The time, in seconds, after which the level of a silent or ended program is 0. A program must send a keep-alive
# message every 0.25 s.
REST = 0.25 + 0.3


def expect(is_fulfilled, what):
    if not is_fulfilled:
        sys.exit(f"{what}: not as expected")
    print(f"{what}: as expected")


async def settles(board, is_playing, within):
    """Waits until the page's level is present on the bus between two taps, or until it is absent. If the server or the
    board stalls, extends the time limit accordingly."""
    begin, now = time.monotonic(), 0
    while now < begin + within + 0.2 + 2 * board.stalls.longest(begin, now):
        now = time.monotonic()
        end = board.levels()[-1][0] if board.levels() else 0
        recent = {level for at, level in board.levels() if end - at < 150_000}
        if any(abs(level - PAGE) <= 2 for level in recent) == is_playing:
            return True
        await asyncio.sleep(0.01)
    return False


class Page:
    """A page that plays a level. If `alive` is False, the page hangs."""

    def __init__(self, address, origin=ORIGIN, alive=True, hello=HELLO, **options):
        self.connection = websockets.connect(address, origin=origin, **options)
        self.hello, self.is_alive = hello, alive

    async def __aenter__(self):
        self.socket = await self.connection
        await self.send(self.hello)
        self.task = asyncio.create_task(self.stay_alive()) if self.is_alive else None
        return self

    async def __aexit__(self, *_):
        if self.task:
            self.task.cancel()
        await self.socket.close()

    async def send(self, *messages):
        for message in messages:
            await self.socket.send(json.dumps(message))

    async def stay_alive(self):
        try:
            while True:
                await asyncio.sleep(0.06)
                await self.send({"type": "alive"})
        except websockets.ConnectionClosed:
            pass

    async def next(self, *types):
        """Returns the next message of a type, or the closing code if the server closes the connection first."""
        try:
            while True:
                message = json.loads(await asyncio.wait_for(self.socket.recv(), 10))
                if message["type"] in types:
                    return message
        except websockets.ConnectionClosed as closed:
            return {"type": "closed", "code": closed.rcvd.code if closed.rcvd else None}


class Playing(Page):
    """A page that starts an engine and plays a level."""

    async def __aenter__(self):
        await super().__aenter__()
        await self.next("started")
        await self.send(*LEVEL)
        return self


async def status(address, **options):
    try:
        async with websockets.connect(address, **options):
            return 101
    except websockets.InvalidStatus as refusal:
        return refusal.response.status_code


async def refuse(address):
    """Checks that the server enforces each rule for requests."""
    without, wrong = address.split("?")[0], address[:-1] + ("0" if address[-1] != "0" else "1")
    for what, url, origin in (
            ("no key", without, ORIGIN), ("a wrong key", wrong, ORIGIN), ("no key and no origin", without, None),
            ("a wrong key and no origin", wrong, None), ("another origin", address, "https://example.org"),
            ("the origin of a file", address, "null"), ("another scheme", address, "http://example.com"),
            ("another port", address, "https://example.com:8443"), ("a longer key", address + "0", ORIGIN),
            ("a shorter key", address[:-1], ORIGIN)):
        expect(await status(url, origin=origin) == 403, f"{what} is refused")
    port = int(re.search(r":(\d+)/", address)[1])
    host = [("Host", f"evil.example:{port}")]
    with socket.create_connection(("127.0.0.1", port)) as raw:
        raw.sendall(upgrade(address, *host).encode())
        expect(raw.recv(100).startswith(b"HTTP/1.1 403"), "a name that resolves to this computer is refused")
    expect(await status(address, origin=ORIGIN) == 101, "the allowed origin with the key is admitted")
    expect(await status(address) == 101, "a program with the key is admitted")


def upgrade(address, *headers):
    path = address[address.index("/?"):]
    port = re.search(r":(\d+)/", address)[1]
    headers = headers or [("Host", f"127.0.0.1:{port}")]
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers),
             "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
             "Sec-WebSocket-Version: 13", f"Origin: {ORIGIN}"]
    return "\r\n".join(lines) + "\r\n\r\n"


async def ask_for_more(address):
    """Checks that a page has the permissions of a program on another computer."""
    async with Page(address, hello={**HELLO, "purpose": "release"}) as page:
        refused = await page.next("refused")
        expect("may only play on, query and stop" in refused.get("reason", ""), "a page cannot release the board")
    async with Page(address, hello={**HELLO, "purpose": "survey"}) as page:
        expect(len((await page.next("surveyed"))["actuators"]) == 1, "a page can query the actuators")
    async with Page(address, hello={**HELLO, "version": 4}) as page:
        expect("version 4" in (await page.next("refused"))["reason"], "another version is refused")


async def play(board, address):
    async with Playing(address) as page:
        expect(await settles(board, True, 2), "a page plays")
        await page.send({"type": "output"}, {"type": "output", "player": 1}, {"type": "output", "player": 2})
        answers = [await page.next("output") for _ in range(3)]
        expect([answer.get("intensity") for answer in answers] == [0.25, 0.25, None], "its output is reported")
    expect(await settles(board, False, REST), "a page closes")


async def vanish(board, address):
    process = subprocess.Popen([sys.executable, "-B", __file__, "--hold", address])
    expect(await settles(board, True, 5), "a page plays in another process")
    process.kill()
    process.wait()
    expect(await settles(board, False, REST), "a page is killed")
    async with Playing(address, alive=False) as page:
        lost = await page.next("lost")
        expect("has sent nothing" in lost["reason"], "a page that hangs receives the reason")
        expect(await settles(board, False, REST), "a page hangs")


async def send_nonsense(board, address):
    for text in ("nonsense", "{}", "[]", "[" * 600, '{"type":"start"}', '{"type":3}', ""):
        async with Playing(address) as page:
            await page.socket.send(text)
            refused = await page.next("refused")
            expect("invalid message" in refused.get("reason", ""), f"{text[:20]!r} is refused")
            expect((await page.next())["type"] == "closed", "and the connection is closed")
    async with Playing(address) as page:
        await page.socket.send(b"{}")
        expect((await page.next())["code"] == 1003, "bytes end the connection")
    # A playing page could not send keep-alive messages while it sends this text.
    async with Page(address) as page:
        try:
            await page.socket.send("[" + " " * (16 << 20) + "]")
        except websockets.ConnectionClosed:
            pass  # The server may close the connection before it has received the whole text.
        refused = await page.next("refused")
        expect("65536 bytes" in refused.get("reason", ""), "a text of 16 MB is refused")
        expect((await page.next())["code"] == 1009, "and the connection is closed")
    async with Playing(address) as page:
        text = json.dumps({"type": "alive", "pad": "x" * 65_400})
        await page.socket.send(text)
        expect((await page.next("alive"))["type"] == "alive", "the longest text is accepted")
    expect(await settles(board, False, REST), "after the nonsense")


def memory(board):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{board.server.pid}/status").read_text())[1])


def masked(text):
    data = text.encode()
    return bytes([0x81, 0x80 | len(data), 0, 0, 0, 0]) + data


async def be_deaf(board, address):
    """Checks that the server needs little memory for a page that sends as much as it can and reads nothing."""
    port = int(re.search(r":(\d+)/", address)[1])
    before = memory(board)
    loop = asyncio.get_running_loop()
    for kind in ("queries", "pings"):
        raw = socket.create_connection(("127.0.0.1", port))
        raw.sendall(upgrade(address).encode())
        raw.recv(4096)
        raw.setblocking(False)
        query = masked('{"type":"clock","time":1}') if kind == "queries" else b"\x89\x84\0\0\0\0ping"
        data, sent, begin = masked(json.dumps(HELLO)) + query * 5000, 0, time.monotonic()
        try:
            while time.monotonic() - begin < 8:
                try:
                    sent += raw.send(data[sent % len(data):] if sent < len(data) else query * 500)
                except BlockingIOError:
                    await asyncio.sleep(0.01)
        except OSError:
            pass  # The server has closed the connection.
        grown = memory(board) - before
        expect(grown < 16_000, f"a page that does not read ({kind}, {sent >> 10} kB sent) costs {grown} kB")
        raw.close()
    await loop.run_in_executor(None, time.sleep, 0.1)


async def flood(board, address):
    """Checks that the server needs little memory for a page that reads and sends as fast as it can."""
    before = memory(board)
    async with Playing(address) as page:
        async def read():
            try:
                while True:
                    await page.socket.recv()
            except websockets.ConnectionClosed:
                pass
        reader = asyncio.create_task(read())
        begin = time.monotonic()
        sent = 0
        change = json.dumps({"type": "parameters", "player": 1, "parameters": [["HapticIntensityControl", 0, 1]]})
        try:
            while time.monotonic() - begin < 4:
                await page.socket.send(change)
                sent += 1
        except websockets.ConnectionClosed:
            pass
        reader.cancel()
    grown = memory(board) - before
    expect(grown < 24_000, f"a flood of {sent} messages costs {grown} kB")
    expect(await settles(board, False, REST), "after the flood")


async def hang_after_a_flood(board, address):
    """Checks that a page that hangs or closes its socket stops playing, even if the server still has messages from the
    page."""
    port = int(re.search(r":(\d+)/", address)[1])
    change = {"type": "parameters", "player": 1, "parameters": [["HapticIntensityControl", 0, 1]]}
    for seconds, is_closed in ((0.2, False), (0.2, True), (1, False)):
        raw = socket.create_connection(("127.0.0.1", port))
        raw.sendall(upgrade(address).encode() + masked(json.dumps(HELLO)))
        received = b""
        while b'"started"' not in received:
            received += raw.recv(65_536)
        raw.sendall(b"".join(masked(json.dumps(message)) for message in LEVEL))
        expect(await settles(board, True, 2), "a page plays before its flood")
        raw.setblocking(False)
        data, sent, begin = masked(json.dumps(change)) * 1000, 0, time.monotonic()
        try:
            while time.monotonic() - begin < seconds:
                try:
                    sent += raw.send(data[sent % len(data):])
                except BlockingIOError:
                    await asyncio.sleep(0.001)
                try:
                    raw.recv(65_536)
                except BlockingIOError:
                    pass
        except OSError:
            pass  # The server has closed the connection.
        if is_closed:
            raw.close()
        what = "closes" if is_closed else "hangs"
        expect(await settles(board, False, REST), f"a page {what} after {seconds} s and {sent >> 10} kB")
        raw.close()


async def crowd(address):
    """Checks that connections that send nothing do not prevent a page from connecting."""
    port = int(re.search(r":(\d+)/", address)[1])
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
    expect(await status(address, origin=ORIGIN) == 101, "a page is admitted in addition to 40 idle connections")
    for connection in idle:
        connection.close()


def stays_off(programs):
    """Checks that a server without options opens no port."""
    with ServedBoard(programs) as board:
        served = board.served
        addresses = [served[name] for name in ("tcp", "osc", "buttplug", "websocket")]
        expect(addresses == [None] * 4, "no address is announced")
        descriptors = Path(f"/proc/{board.server.pid}/fd")
        inodes = {re.search(r"\d+", os.readlink(path))[0] for path in descriptors.iterdir()
                  if os.readlink(path).startswith("socket:")}
        tables = [Path(f"/proc/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6", "udp", "udp6")]
        listening = [line for table in tables for line in table if line.split()[9] in inodes]
        expect(not listening, "no port is open")


async def hold(address):
    async with Playing(address):
        await asyncio.sleep(60)


async def attack(board, address):
    await refuse(address)
    await ask_for_more(address)
    await play(board, address)
    await vanish(board, address)
    await send_nonsense(board, address)
    await be_deaf(board, address)
    await flood(board, address)
    await hang_after_a_flood(board, address)
    await crowd(address)


def main():
    if sys.argv[1] == "--hold":
        return asyncio.run(hold(sys.argv[2]))
    stays_off(sys.argv[1])
    with ServedBoard(sys.argv[1], "--websocket", "0", "--websocket-origin", ORIGIN, is_urgent=True) as board:
        board.stalls = Stalls(board.process_ids)
        with Witness(board) as witness:
            asyncio.run(attack(board, board.served["websocket"]))
        print(witness)


if __name__ == "__main__":
    main()
