#!/usr/bin/env python3
"""Performs the steps of a file with each client, and compares the levels on the bus of a virtual board.

run.py FOLDER_OF_THE_PROGRAMS C_PROGRAM [--measure | --record | --simulator PROGRAM IMAGE]

With --measure, the program prints the latency from a call to the bus, and the growth of a client's memory from the 10th
second to the 59th second while the client makes 1,000 calls per second. No call may be lost. With --record, the program
writes the levels that the Python client produces to the file of expected levels, for review. With --simulator, the
program runs the steps on a simulated Uno.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from board import ServedBoard
from server import RecordingServer

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
STEPS = FOLDER / "steps.txt"
# The permitted difference between times in seconds, the permitted difference between levels, the minimum change in the
# level that counts as a jump, and the time between the levels of a ramp in seconds.
TIME, LEVEL, JUMP, RAMP = 0.002, 4, 30, 0.006


def clients(programs, program):
    python = [sys.executable, "-B", FOLDER / "steps.py"]
    return {
        "Swift": lambda steps: [Path(programs, "test-programs"), "steps", steps],
        "Python": lambda steps: [*python, steps], "Python, asyncio": lambda steps: [*python, steps, "asyncio"],
        "C": lambda steps: [program, steps], "JavaScript": lambda steps: ["node", FOLDER / "steps.mjs", steps],
    }


def local(board):
    """Returns the environment of a program that uses the local socket."""
    return dict(board.environment, BRIDGE_PORT=board.port)


def run(command, environment, **options):
    environment = dict(environment, PYTHONPATH=ROOT / "Clients/python")
    return subprocess.run(command, check=True, env=environment, timeout=180, **options)


# ---- The levels on the bus -----------------------------------------------------------------------------


def due():
    words = [line.split() for line in STEPS.read_text().splitlines() if line.startswith("due ")]
    return [(float(time), int(level)) for _, time, level in words]


def relative(levels):
    return [((time - levels[0][0]) / 1e6, level) for time, level in levels]


def jumps(levels):
    before = [0] + [level for _, level in levels]
    return [change for change, last in zip(levels, before) if abs(change[1] - last) >= JUMP or change[1] == 0]


def level_at(levels, time):
    return ([0] + [level for at, level in levels if at <= time])[-1]


def difference(levels, expected):
    """Returns the maximum difference between the times of jumps, except for jumps to 0. Raises an error if a level
    differs, or if a jump is too early or too late."""
    found, wanted = jumps(levels), jumps(expected)
    if len(found) != len(wanted):
        raise AssertionError(f"{len(found)} jumps of the level instead of {len(wanted)}: {found}")
    worst = 0.0
    for (time, level), (expected_time, expected_level) in zip(found, wanted):
        # The end of a ramp depends on how the ramp was divided.
        tolerance = TIME if level else TIME + RAMP
        if abs(time - expected_time) > tolerance or abs(level - expected_level) > LEVEL:
            raise AssertionError(
                f"the level {level} at {time:.4f} s instead of {expected_level} at {expected_time:.4f} s")
        worst = max(worst, abs(time - expected_time) if level else 0)
    for millisecond in range(int(expected[-1][0] * 1000)):
        time, level = millisecond / 1000, level_at(levels, millisecond / 1000)
        # A board writes the level of a ramp every 5 ms.
        near = [level_at(expected, time - RAMP), level_at(expected, time + RAMP)]
        near += [other for at, other in expected if abs(at - time) <= RAMP]
        if not min(near) - LEVEL <= level <= max(near) + LEVEL:
            raise AssertionError(f"the level {level} at {time} s instead of {level_at(expected, time)}")
    return worst


def played(board, command, environment, count=0):
    """Returns the levels of a program, with their times in seconds after the first level."""
    before = len(board.levels())
    run(command, environment, stdout=subprocess.DEVNULL)
    return relative(board.wait_for_rest(before + 1)[before:])


def attempted(what, attempt, tries=3):
    """Repeats a check that other programs may disturb on a busy computer."""
    for rest in reversed(range(tries)):
        try:
            return attempt()
        except (AssertionError, subprocess.CalledProcessError) as error:
            if not rest:
                sys.exit(f"{what}: {error}")
            print(f"{what}: tried again: {error}")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def conformance(programs, program):
    page = free_port()
    doors = ("--tcp", "0", "--websocket", "0", "--websocket-origin", f"http://127.0.0.1:{page}")
    with ServedBoard(programs, *doors) as board:
        remote = dict(board.environment, BRIDGE_PORT=board.address, BRIDGE_KEY_FILE=board.key)
        for name, command in clients(programs, program).items():
            for way, environment in (("local socket", local(board)), ("TCP", remote)):
                what = f"{name}, {way}"
                worst = attempted(what, lambda: difference(played(board, command(STEPS), environment), due()))
                print(f"{what}: all levels as expected; times deviate by at most {worst * 1000:.2f} ms")
        environment = dict(board.environment, BRIDGE_WEBSOCKET=board.served["websocket"], PAGE_PORT=str(page))
        command = [sys.executable, "-B", FOLDER / "page.py", STEPS]
        worst = attempted("page", lambda: difference(played(board, command, environment), due()))
        print(f"JavaScript, page in Chromium: all levels as expected; times deviate by at most {worst * 1000:.2f} ms")
        file = FOLDER / "everything.ahap"
        tool = [board.programs / "bridge", "play", "-q", "--no-sound", "--port", board.port, file]
        begin = next(time for time, _ in due() if time > 4.9)
        expected = [(time - begin, level) for time, level in due() if time >= begin]
        worst = attempted("bridge play", lambda: difference(played(board, tool, board.environment), expected))
        print(f"bridge play: all levels as expected; times deviate by at most {worst * 1000:.2f} ms")


def simulated(programs, program, simulator):
    """Runs the steps on the firmware of the Uno. A simulator runs the firmware at the pace of the wall clock."""
    with ServedBoard(programs, simulator=simulator) as board:
        for name, command in clients(programs, program).items():
            what = f"{name}, simulated Uno"
            worst = attempted(what, lambda: difference(played(board, command(STEPS), local(board)), due()))
            print(f"{what}: all levels as expected; times deviate by at most {worst * 1000:.2f} ms")


def started_server(programs, program):
    """Checks that each client starts a server for a board that is not served."""
    steps = "player 1 named success\n0 start 1\nfinish 1\n"
    with ServedBoard(programs, is_served=False) as board, tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "steps.txt")
        file.write_text(steps)
        environment = dict(board.environment, BRIDGE_PORT=board.port, BRIDGE_SERVER=str(board.programs / "bridge"))
        for name, command in clients(programs, program).items():
            levels = attempted(name, lambda: played(board, command(file), environment))
            assert len(levels) == 4, levels
            print(f"{name}: starts the server")
            time.sleep(2.5)  # The server ends two seconds after the last program has disconnected.


# ---- The messages of patterns ------------------------------------------------------------------------------


def messages(programs, program):
    """Checks that each client reads the AHAP test vectors with the same result as the tool."""
    left_out = ("04-", "19-", "12-curve-of-1000", "20-")  # Files that are invalid, long, or not JSON.
    files = [path for path in sorted((ROOT / "Tests/Vectors").glob("*.ahap")) if not path.name.startswith(left_out)]
    files += [FOLDER / "everything.ahap", FOLDER / "level.ahap"]
    with RecordingServer() as server, tempfile.TemporaryDirectory() as folder:
        expected = []
        for file in files:
            tool = [Path(programs, "bridge"), "play", "-q", "--no-sound", "--curve-times", "relative"]
            subprocess.run([*tool, "--port", server.port, file], env=server.environment, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=60)
            expected.append(server.patterns()[-1])
        steps = Path(folder, "steps.txt")
        steps.write_text("".join(f"player 1 file {os.path.relpath(file, folder)}\n" for file in files))
        for name, command in clients(programs, program).items():
            if name == "Swift":
                continue  # The Swift client is excluded, because it uses the same library as the tool.
            server.messages.clear()
            run(command(steps), server.environment)
            for file, pattern, wanted in zip(files, server.patterns(), expected):
                if pattern != wanted:
                    sys.exit(f"{name}, {file.name}:\n{json.dumps(pattern)}\ninstead of\n{json.dumps(wanted)}")
            print(f"{name}: reads {len(files)} AHAP files as bridge does")


# ---- Measurements --------------------------------------------------------------------------------------------


def latencies(board, command, folder):
    """Returns the latencies from calls to the bus, in milliseconds and in ascending order."""
    calls = 100
    steps = Path(folder, "latency.txt")
    text = "player 1 named impact-rigid\n0 start 1\n"
    # The intervals differ, so that the calls occur at all phases of the board's clock.
    text += "".join(f"{1 + call * 0.1037:.4f} call 1\n" for call in range(calls)) + "finish 1\n"
    steps.write_text(text)
    before = len(board.levels())
    output = run(command(steps), local(board), stdout=subprocess.PIPE, text=True).stdout
    levels = board.wait_for_rest(before + 2)[before:]
    # The first start was at time 0, and the times of the other starts are relative to the first start.
    onsets = [time for time, level in relative(levels) if level]
    times = [float(line) for line in output.split()]
    assert len(onsets) == calls + 1, f"{len(onsets)} taps of {calls + 1}"
    return sorted((onset - call) * 1000 for onset, call in zip(onsets[1:], times))


def memory(process):
    if process.poll() is not None:
        raise AssertionError(f"the client has ended with {process.returncode}")
    text = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1])


def loaded(board, command, folder, seconds):
    """Returns a client's memory, in kB, early in a series of 1,000 calls per second and at the end of the series."""
    steps = Path(folder, "load.txt")
    steps.write_text(f"player 1 file {os.path.relpath(FOLDER / 'level.ahap', folder)}\n0 start 1\nload 1 {seconds}\n"
                     f"{seconds + 2} parameter 1 HapticIntensityControl 0.3\n{seconds + 2.5} stop 1\nfinish 1\n")
    environment = dict(local(board), PYTHONPATH=ROOT / "Clients/python")
    process = subprocess.Popen(command(steps), env=environment)
    time.sleep(10)
    first = memory(process)
    time.sleep(seconds - 11)
    last = memory(process)
    if process.wait(60) != 0:
        raise AssertionError("the client has failed")
    # Parameters take effect in the order in which they are sent, so the level of the last parameter proves that no
    # parameter was lost.
    assert [level for _, level in board.wait_for_rest()[-2:]] == [round(0.3 * 204), 0], board.levels()[-3:]
    return first, last


def measure(programs, program):
    with ServedBoard(programs) as board, tempfile.TemporaryDirectory() as folder:
        for name, command in clients(programs, program).items():
            figure = "client_" + name.lower().replace(", ", "_")
            values = attempted(name, lambda: latencies(board, command, folder))
            print(f"figure {figure}_ms_p50 {values[len(values) // 2]:.1f} ms")
            print(f"figure {figure}_ms_p95 {values[len(values) * 95 // 100]:.1f} ms", flush=True)
            first, last = attempted(name, lambda: loaded(board, command, folder, 60))
            print(f"figure {figure}_growth_kB {last - first} kB", flush=True)


def record(programs, program):
    with ServedBoard(programs) as board:
        levels = played(board, clients(programs, program)["Python"](STEPS), board.environment)
    text = STEPS.read_text().partition("\ndue ")[0].rstrip() + "\n\n"
    STEPS.write_text(text + "".join(f"due {time:.4f} {level}\n" for time, level in levels))


def main():
    programs, program, *option = sys.argv[1:]
    program = Path(program).resolve()
    if option == ["--measure"]:
        return measure(programs, program)
    if option == ["--record"]:
        return record(programs, program)
    if option[:1] == ["--simulator"]:
        return simulated(programs, program, option[1:])
    messages(programs, program)
    started_server(programs, program)
    conformance(programs, program)


if __name__ == "__main__":
    main()
