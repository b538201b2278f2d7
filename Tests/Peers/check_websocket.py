"""Tests the server of the page with the client of the Python package `websockets`.

check_websocket.py PAGE_ECHO
"""

import asyncio
import os
import random
import sys

import websockets
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from echo import Echo


def opened(server, origin, cookie):
    headers = {"Cookie": cookie} if cookie else {}
    return connect(
        server.socket, origin=origin, additional_headers=headers, max_size=None,
        compression="deflate")


async def refusals(server):
    for origin, cookie in [
        ("http://evil.example", server.cookie), (server.origin, None), (None, None),
        (server.origin, server.cookie[:-1] + "x"),
    ]:
        try:
            async with opened(server, origin, cookie):
                sys.exit(f"{origin} with {cookie} was admitted")
        except InvalidStatus as error:
            assert error.response.status_code == 403, error


async def messages(server):
    randomness = random.Random(27)
    async with opened(server, server.origin, server.cookie) as socket:
        for size in [0, 1, 125, 126, 127, 65_535, 65_536, 1 << 20, 8 << 20]:
            text = "".join(randomness.choices("aä€𝄞", k=size // 2))[:size]
            while len(text.encode()) > 8 << 20:
                text = text[: len(text) * 9 // 10]
            await socket.send(text)
            assert await socket.recv() == text, size
            await socket.send([text[: size // 3], text[size // 3 :], ""])
            assert await socket.recv() == text, size
        await asyncio.wait_for(await socket.ping(b"there?"), 10)


async def endings(server):
    for message, code in [(b"bytes", 1003), ("a" * ((8 << 20) + 1), 1009)]:
        async with opened(server, server.origin, server.cookie) as socket:
            try:
                await socket.send(message)
                await socket.recv()
                sys.exit("a refused message was answered")
            except ConnectionClosed as error:
                assert error.rcvd and error.rcvd.code == code, error


async def many(server):
    sockets = [await opened(server, server.origin, server.cookie) for _ in range(16)]
    try:
        await opened(server, server.origin, server.cookie)
        sys.exit("a seventeenth connection was admitted")
    except (websockets.exceptions.InvalidMessage, ConnectionError, EOFError):
        pass
    await asyncio.gather(*(socket.send(str(index)) for index, socket in enumerate(sockets)))
    answers = [await socket.recv() for socket in sockets]
    assert answers == [str(index) for index in range(16)], answers
    await asyncio.gather(*(socket.close() for socket in sockets))


server = Echo(os.path.abspath(sys.argv[1]))
for check in (refusals, messages, endings, many):
    asyncio.run(check(server))
    print(f"websockets {websockets.__version__}: {check.__name__}: as expected")
server.end()
