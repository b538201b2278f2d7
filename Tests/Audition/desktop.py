"""Simulates Meta Haptics Studio in an audition with an independent Socket.IO server (python-socketio)."""

import asyncio
import json
import socket
import threading
import time
import urllib.parse

import socketio
from aiohttp import web

DIGITS = "4711"


def haptic(amplitude, seconds, taps=()):
    """Returns the text of a .haptic file with a level and with taps, which are given as pairs of a time and an
    amplitude."""
    times = sorted({0, seconds, *(at for at, _ in taps)})
    points = [{"time": at, "amplitude": amplitude} for at in times]
    for at, strength in taps:
        points[times.index(at)]["emphasis"] = {"amplitude": strength, "frequency": 0.5}
    envelopes = {"amplitude": points, "frequency": [{"time": at, "frequency": 0.5} for at in (0, seconds)]}
    version = {"major": 1, "minor": 0, "patch": 0}
    return json.dumps({"version": version, "signals": {"continuous": {"envelopes": envelopes}}})


class Desktop:
    """A running editor. A device that has sent the digits is also known in later connections."""

    def __init__(self, known=(), port=0):
        self.known = set(known)
        self.devices = {}
        self.clip = {"clipId": "c1", "name": "Door", "haptic": haptic(0.1, 0.05)}
        self.asked = []
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.run(self.open(port))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run(self.close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(10)

    async def open(self, port):
        self.io = socketio.AsyncServer(async_mode="aiohttp", ping_interval=5, always_connect=True)
        self.io.on("connect", self.connect)
        self.io.on("disconnect", self.disconnect)
        self.io.on("auth_request", self.authorize)
        self.io.on("get_current_clip", self.get_current_clip)
        self.io.on("get_clip", self.get_clip)
        app = web.Application()
        self.io.attach(app, socketio_path="ws")
        self.runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self.runner.setup()
        site = web.TCPSite(self.runner, "127.0.0.1", port, reuse_address=True)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]

    async def close(self):
        await self.runner.cleanup()
        rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    async def connect(self, sid, environ):
        query = dict(urllib.parse.parse_qsl(environ["QUERY_STRING"]))
        self.devices[sid] = query
        event = "auth_granted" if query["deviceId"] in self.known else "auth_required"
        await self.io.emit(event, {}, to=sid)

    async def disconnect(self, sid, reason=None):
        self.devices.pop(sid, None)

    async def authorize(self, sid, data):
        self.asked.append(data["authCode"])
        if data["authCode"] == DIGITS:
            self.known.add(self.devices[sid]["deviceId"])
        status = "ok" if data["authCode"] == DIGITS else "error"
        await self.io.emit("auth_request", {"status": status}, to=sid)

    async def get_current_clip(self, sid, data=None):
        await self.io.emit("get_current_clip", self.clip)

    async def get_clip(self, sid, data):
        await self.io.emit("get_clip", {**self.clip, "clipId": data["clipId"]})

    def emit(self, event, data):
        """Sends an event to all devices. Returns the time at which sending began."""
        began = time.monotonic()
        self.run(self.io.emit(event, data))
        return began

    def edit(self, text):
        self.clip = {**self.clip, "haptic": text}
        return self.emit("clip_update", self.clip)

    def lose(self):
        """Ends the connections without a message, as a killed program does."""
        async def abort():
            for connection in list(self.runner.server.connections):
                connection.transport.abort()
        self.run(abort())

    def hang(self, seconds):
        """Sends nothing for a number of seconds, like a computer that has lost its network connection."""
        self.loop.call_soon_threadsafe(time.sleep, seconds)


def announce(port):
    """Sends the editor's broadcast once per second, but only to this computer."""
    text = json.dumps({"hostname": "desk", "port": port}).encode()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        sender.sendto(text, ("127.255.255.255", 9998))
