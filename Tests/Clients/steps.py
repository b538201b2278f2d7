"""Performs the steps of a file with the Python client: steps.py FILE [asyncio]"""

import asyncio
import inspect
import math
import sys
from pathlib import Path

from haptic_bridge import (
    AsyncHapticEngine, HapticDynamicParameter, HapticEngine, HapticParameterCurve, HapticPattern,
)

# The time, in seconds, between the sending of a command and its due time.
LEAD = 0.15
INTENSITY = "HapticIntensityControl"


async def perform(path, engine, sleep):
    origin = engine.current_time + 0.5
    players = {}
    for line in Path(path).read_text().splitlines():
        words = line.split()
        if not words or words[0] in ("#", "due"):
            continue
        time = 0.0
        lead = LEAD if len(words) > 1 and words[1] != "call" else 0
        if words[0][0].isdigit():
            time = origin + float(words.pop(0))
            await sleep(max(0, time - lead - engine.current_time))
        command, number, *rest = words
        if command == "player":
            pattern = (HapticPattern.named(rest[1]) if rest[0] == "named"
                       else HapticPattern.from_file(Path(path).parent / rest[1]))
            players[number] = engine.make_player(pattern)
            continue
        player = players[number]
        values = [float(word) for word in rest if word[0] in "-0123456789"]
        if command == "call":
            print(engine.current_time - origin)
            player.start()
        elif command == "load":
            begin = engine.current_time
            for call in range(int(values[0] * 1000)):
                await sleep(max(0, begin + call / 1000 - engine.current_time))
                player.send_parameters([HapticDynamicParameter(INTENSITY, 0.5 + 0.4 * math.sin(call / 160))])
        elif command == "start":
            player.start(time, offset=values[0] if values else 0)
        elif command in ("stop", "pause", "resume"):
            getattr(player, command)(time)
        elif command == "parameter":
            player.send_parameters([HapticDynamicParameter(rest[0], values[0])], time)
        elif command == "curve":
            player.schedule_parameter_curve(HapticParameterCurve(rest[0], list(zip(values[::2], values[1::2]))), time)
        elif command == "rate":
            player.playback_rate = values[0]
        elif command == "loop":
            player.loop_end = values[0]
            player.loop_enabled = True
        elif command == "mute":
            player.is_muted = bool(values[0])
        elif command == "seek":
            player.seek(values[0])
        elif command == "cancel":
            player.cancel()
        elif command == "finish":
            finished = engine.wait_until_finished(player, 10)
            assert (await finished if inspect.isawaitable(finished) else finished), line
        else:
            sys.exit(f"unknown step: {line}")


async def perform_async(path):
    async with AsyncHapticEngine() as engine:
        await perform(path, engine, asyncio.sleep)


def perform_blocking(path):
    import time

    async def sleep(seconds):
        time.sleep(seconds)

    with HapticEngine() as engine:
        try:
            perform(path, engine, sleep).send(None)
        except StopIteration:
            pass


if __name__ == "__main__":
    if sys.argv[2:] == ["asyncio"]:
        asyncio.run(perform_async(sys.argv[1]))
    else:
        perform_blocking(sys.argv[1])
