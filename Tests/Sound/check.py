"""Plays patterns with sound on a PulseAudio server of its own, and listens to its null sink.

check.py PROGRAMS: the folder with the program bridge. Prints what it has tried; exits with 1 if
anything is not as it should be.
"""

import array
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import wave

RATE = 48_000
CLICKS = 8
INTERVAL = 0.25
failures = 0


def check(what, is_so, found=""):
    global failures
    print(("ok      " if is_so else "FAILED  ") + what + (f" ({found})" if found else ""), flush=True)
    failures += not is_so


def write_click(path):
    """A click of 2 kHz that begins with its peak."""
    samples = array.array("h", (
        int(28_000 * math.exp(-i / 100) * math.cos(2 * math.pi * i / 24)) for i in range(480)))
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())


def write_pattern(path, sound):
    pattern = []
    for index in range(CLICKS):
        at = index * INTERVAL
        pattern.append({"Event": {"Time": at, "EventType": "HapticTransient", "EventParameters": []}})
        pattern.append({"Event": {
            "Time": at, "EventType": "AudioCustom", "EventWaveformPath": sound,
            "EventParameters": []}})
    with open(path, "w") as file:
        json.dump({"Version": 1.0, "Pattern": pattern}, file)


class Listener:
    """Records the sink's monitor while a program runs."""

    def __init__(self, environment):
        self.process = subprocess.Popen(
            ["parec", "-d", "check.monitor", "--format=s16le", f"--rate={RATE}", "--channels=1",
             "--latency-msec=10"],
            stdout=subprocess.PIPE, env=environment)
        time.sleep(0.5)

    def onsets(self):
        time.sleep(0.5)
        self.process.terminate()
        samples = array.array("h", self.process.communicate()[0][: 1 << 30])
        onsets, last = [], -RATE
        for index, sample in enumerate(samples):
            if abs(sample) > 3_000:
                if index - last > RATE // 20:
                    onsets.append(index / RATE)
                last = index
        return onsets


def main(bridge):
    with tempfile.TemporaryDirectory() as folder:
        configuration = os.path.join(folder, "alsa.conf")
        with open(configuration, "w") as file:
            file.write("</usr/share/alsa/alsa.conf>\npcm.!default { type pulse }\n")
        socket = os.path.join(folder, "native")
        environment = dict(
            os.environ, PULSE_SERVER=f"unix:{socket}", ALSA_CONFIG_PATH=configuration,
            XDG_RUNTIME_DIR=folder, XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder)
        server = subprocess.Popen(
            ["pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
             f"--load=module-null-sink sink_name=check rate={RATE}",
             f"--load=module-native-protocol-unix auth-anonymous=1 socket={socket}"],
            env=environment, stderr=subprocess.DEVNULL)
        try:
            limit = time.monotonic() + 10
            while not os.path.exists(socket) and time.monotonic() < limit:
                time.sleep(0.05)
            time.sleep(0.3)
            play(bridge, folder, environment)
        finally:
            server.terminate()
            server.wait()
        without_device(bridge, folder, environment)


def run(bridge, environment, *arguments):
    return subprocess.run(
        [bridge, "play", *arguments], env=environment, capture_output=True, text=True, timeout=60)


def play(bridge, folder, environment):
    write_click(os.path.join(folder, "click.wav"))
    clicks = os.path.join(folder, "clicks.ahap")
    write_pattern(clicks, "click.wav")
    for place in ["--virtual", "--preview"]:
        listener = Listener(environment)
        result = run(bridge, environment, place, clicks)
        onsets = listener.onsets()
        check(f"{place}: the pattern plays", result.returncode == 0, result.stderr.strip())
        check(f"{place}: each click is heard once", len(onsets) == CLICKS, f"{len(onsets)} of {CLICKS}")

    listener = Listener(environment)
    result = run(bridge, environment, "--virtual", "--no-sound", clicks)
    check("--no-sound is silent", result.returncode == 0 and not listener.onsets())

    listener = Listener(environment)
    result = run(bridge, environment, "--virtual", "watch-success")
    check("a named pattern of a watch has its tone", result.returncode == 0 and listener.onsets())

    missing = os.path.join(folder, "missing.ahap")
    write_pattern(missing, "gone.wav")
    result = run(bridge, environment, "--virtual", missing)
    check(
        "a missing sound is named with its place",
        result.returncode == 66 and "missing.ahap:1:" in result.stderr
        and "gone.wav: there is no such sound file" in result.stderr, result.stderr.strip())


def without_device(bridge, folder, environment):
    result = run(bridge, environment, "--virtual", os.path.join(folder, "clicks.ahap"))
    check(
        "the absence of a device is no error", result.returncode == 0
        and result.stderr.count("is not heard: the sound device cannot be opened") == 1,
        result.stderr.strip())


if __name__ == "__main__":
    main(os.path.join(os.path.abspath(sys.argv[1]), "bridge"))
    sys.exit(failures > 0)
