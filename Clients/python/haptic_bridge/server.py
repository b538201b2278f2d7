"""The connection to the server of a board: its socket, its key, and its start."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Optional

from .errors import EngineStartError, HapticErrorCode

SOCKET_MAX = 102
# The maximum time until a started server accepts connections, in seconds.
START_TIME = 5.0
# The exit status of `bridge serve` if the port is in use.
_PORT_IN_USE = 75

_CLOCK = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
# The servers that this process has started, so that the system can release their process ids.
_servers: list[subprocess.Popen[bytes]] = []


def current_time() -> float:
    """Returns the time on the clock that servers on this computer use, in seconds."""
    return time.clock_gettime(_CLOCK) if _CLOCK is not None else time.monotonic()


def _folder() -> Path:
    """The folder that contains the sockets. The folder might not exist."""
    user = os.geteuid()
    for path in (os.environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{user}"):
        try:
            status = os.stat(path)
        except OSError:
            continue
        is_short = len(path.encode()) <= SOCKET_MAX - len("/haptic-bridge/") - 16
        if path.startswith("/") and is_short and stat.S_ISDIR(status.st_mode) and status.st_uid == user:
            return Path(path) / "haptic-bridge"
    return Path(tempfile.gettempdir()) / f"haptic-bridge-{user}"


def socket_path(port: str) -> str:
    """Returns the path of the socket of the board at a port."""
    name = os.path.realpath(port)[1:].replace("/", "+")
    path = f"{_folder()}/{name}"
    if len(path.encode()) <= SOCKET_MAX:
        return path
    return f"{_folder()}/{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def _connected(path: str) -> Optional[socket.socket]:
    """Returns a connection to a socket of this user; None if no process serves it."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        folder = os.lstat(os.path.dirname(path))
        if folder.st_uid == os.geteuid() and not folder.st_mode & 0o077:
            client.connect(path)
            return client
    except OSError:
        pass
    client.close()
    return None


def _not_served(reason: str, advice: str) -> EngineStartError:
    return EngineStartError(HapticErrorCode.SERVER_INIT_FAILED, reason, advice=[advice])


def _only_served() -> socket.socket:
    """Returns a connection to the only board that is served."""
    folder = _folder()
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    served = {path.name: client for path in paths if (client := _connected(str(path)))}
    if len(served) == 1:
        return served.popitem()[1]
    for client in served.values():
        client.close()
    if not served:
        raise _not_served("no board is served, and no port is given",
                          "name the port, set BRIDGE_PORT, or run `bridge serve`")
    raise _not_served(f"several boards are served: {', '.join(served)}", "name the port of one of them")


def _program() -> Optional[str]:
    """The program that serves boards: the program that BRIDGE_SERVER names, or by default `haptic-bridge` in PATH."""
    named = os.environ.get("BRIDGE_SERVER")
    return named or None if named is not None else shutil.which("haptic-bridge")


def _started(program: str, port: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [os.path.abspath(program), "serve", "--port", os.path.abspath(port), "--until-idle"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
        start_new_session=True)


def connect_local(port: str) -> socket.socket:
    """Returns a connection to the server of a port, and starts the server if it is not running."""
    path = socket_path(port)
    client = _connected(path)
    if client:
        return client
    if not os.path.exists(port):
        raise EngineStartError(HapticErrorCode.NOT_SUPPORTED, f"{port}: there is no such port",
                               advice=["connect the board; `bridge list` lists the ports"])
    command = f"bridge serve --port {port}"
    program = _program()
    if program is None:
        raise _not_served(f"no program serves the board at {port}",
                          f"run `{command}`, or install bridge so that haptic-bridge is in PATH")
    try:
        server = _started(program, port)
        _servers.append(server)
    except OSError as error:
        raise _not_served(f"{program} cannot be started: {error}", f"run `{command}`") from error
    end = current_time() + START_TIME
    while current_time() < end:
        status = server.poll()
        client = _connected(path)
        if client:
            return client
        if status not in (None, _PORT_IN_USE):
            break
        time.sleep(0.005 if status is None else 0.05)
    raise _not_served(f"{program} does not serve the board at {port}", f"run `{command}`, which shows the reason")


def _connect_remote(address: str) -> socket.socket:
    host, _, port = address[len("tcp://"):].rpartition(":")
    try:
        client = socket.create_connection((host.strip("[]"), int(port)), timeout=5)
    except (OSError, ValueError) as error:
        raise EngineStartError(
            HapticErrorCode.NOT_SUPPORTED, f"{address}: {error}",
            advice=["the address is tcp://HOST:PORT; at the board, run `bridge serve --tcp`"]) from error
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client


def read_key(path: str) -> bytes:
    """Returns the key in a file of 64 hexadecimal digits that only this user can read."""
    try:
        status = os.stat(path)
        if sys.platform != "win32" and (status.st_mode & 0o077 or status.st_uid not in (0, os.geteuid())):
            raise _not_served(f"{path}: other users can read this key file", "protect it with `chmod 600`")
        key = bytes.fromhex(Path(path).read_text(encoding="ascii"))
    except (OSError, ValueError) as error:
        raise _not_served(f"{path}: the key cannot be read: {error}",
                          "`bridge serve --tcp` creates a key; copy its file") from error
    if len(key) != 32:
        raise _not_served(f"{path}: not a key of 64 hexadecimal digits", "`bridge serve --tcp` creates a key")
    return key


def connect(port: Optional[str], key_file: Optional[str]) -> tuple[socket.socket, Optional[bytes]]:
    """Returns a connection to the server of a port, and the key; None for a server on this
    computer. A server with a key may be on another computer, which has its own clock."""
    port = port or os.environ.get("BRIDGE_PORT")
    if not port or not port.startswith("tcp://"):
        if sys.platform == "win32":
            raise _not_served("boards connected to this computer cannot be used on Windows",
                              "use a board on another computer, at tcp://HOST:PORT")
        return connect_local(port) if port else _only_served(), None
    key_file = key_file or os.environ.get("BRIDGE_KEY_FILE")
    if not key_file:
        raise _not_served(f"{port}: no key is given", "name the key file, or set BRIDGE_KEY_FILE")
    key = read_key(key_file)
    return _connect_remote(port), key
