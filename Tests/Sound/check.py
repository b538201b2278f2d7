"""Plays patterns with sound on a PulseAudio server of its own, and listens to its null sink.

check.py PROGRAMS: the folder with the program bridge. Prints what it has tried; exits with 1 if
anything is not as it should be.
"""

import array
import json
import math
import os
import signal
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

    def __init__(self, folder, environment):
        self.path = os.path.join(folder, "heard.raw")
        with open(self.path, "wb") as file:
            self.process = subprocess.Popen(
                ["parec", "-d", "check.monitor", "--format=s16le", f"--rate={RATE}", "--channels=2",
                 "--latency-msec=10"],
                stdout=file, env=environment)
        limit = time.monotonic() + 10
        while os.path.getsize(self.path) == 0 and time.monotonic() < limit:
            time.sleep(0.05)

    def end(self):
        """Returns what was heard left and right, once half a second of silence is recorded."""
        time.sleep(0.5)
        self.process.terminate()
        self.process.wait()
        with open(self.path, "rb") as file:
            samples = array.array("h", file.read()[: 1 << 30])
        return samples[0::2], samples[1::2]


def onsets(samples):
    """Returns the times at which something begins after a silence of 50 ms, in seconds."""
    found, last = [], -RATE
    for index, sample in enumerate(samples):
        if abs(sample) > 1_000:
            if index - last > RATE // 20:
                found.append(index / RATE)
            last = index
    return found


def loudness(samples):
    return sum(sample * sample for sample in samples)


def length(samples):
    """Returns the time from the first to the last sample that is heard, in seconds."""
    heard = [index for index, sample in enumerate(samples) if abs(sample) > 300]
    return (heard[-1] - heard[0]) / RATE if heard else 0


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


def write_events(path, events):
    with open(path, "w") as file:
        json.dump({"Version": 1.0, "Pattern": [{"Event": event} for event in events]}, file)


def heard(folder, environment, body):
    """Returns the result of a function, and what was heard meanwhile."""
    listener = Listener(folder, environment)
    result = body()
    return result, *listener.end()


def play(bridge, folder, environment):
    write_click(os.path.join(folder, "click.wav"))
    clicks = os.path.join(folder, "clicks.ahap")
    write_pattern(clicks, "click.wav")
    for place in ["--virtual", "--preview"]:
        result, left, _ = heard(folder, environment, lambda: run(bridge, environment, place, clicks))
        found = onsets(left)
        gaps = [after - before for before, after in zip(found, found[1:])]
        check(f"{place}: the pattern plays", result.returncode == 0, result.stderr.strip())
        # A preview is heard itself too: its taps are clicks, at the times of the sounds.
        check(f"{place}: each click is heard once", len(found) == CLICKS, f"{len(found)} of {CLICKS}")
        check(
            f"{place}: clicks keep their distance within 5 ms",
            gaps and all(abs(gap - INTERVAL) < 0.005 for gap in gaps),
            f"{min(gaps, default=0):.4f} to {max(gaps, default=0):.4f} s")

    result, left, _ = heard(
        folder, environment, lambda: run(bridge, environment, "--virtual", "--no-sound", clicks))
    check("--no-sound is silent", result.returncode == 0 and not onsets(left))

    tone = os.path.join(folder, "tone.ahap")
    write_events(tone, [
        {"Time": 0, "EventType": "AudioContinuous", "EventDuration": 0.5, "EventParameters": [
            {"ParameterID": "AudioVolume", "ParameterValue": 0.5},
            {"ParameterID": "AudioPan", "ParameterValue": -1}]}])
    result, left, right = heard(folder, environment, lambda: run(bridge, environment, "--virtual", tone))
    check(
        "a tone lasts as long as it says", result.returncode == 0 and abs(length(left) - 0.5) < 0.1,
        f"{length(left):.3f} s of 0.5")
    check("pan -1 is heard on the left", loudness(left) > 100 * max(1, loudness(right)))
    check("a pattern of sound alone says so", "played, 1 sound" in result.stdout, result.stdout.strip())

    result, left, _ = heard(
        folder, environment, lambda: run(bridge, environment, "--virtual", "watch-success"))
    check(
        "each tap of watch-success has its note",
        result.returncode == 0 and result.stdout.count("3 sounds") == 1 and length(left) > 0.34,
        f"{length(left):.3f} s")

    long = os.path.join(folder, "long.ahap")
    write_events(long, [{
        "Time": 0, "EventType": kind, "EventDuration": 20, "EventParameters": []}
        for kind in ("AudioContinuous", "HapticContinuous")])
    result, left, _ = heard(folder, environment, lambda: interrupted(bridge, environment, long))
    check("a signal ends what is heard", 0.2 < length(left) < 5, f"{length(left):.2f} s, {result}")

    missing = os.path.join(folder, "missing.ahap")
    write_pattern(missing, "gone.wav")
    result = run(bridge, environment, "--virtual", missing)
    check(
        "a missing sound is named with its place",
        result.returncode == 66 and "missing.ahap:1:" in result.stderr
        and "gone.wav: there is no such sound file" in result.stderr, result.stderr.strip())


def interrupted(bridge, environment, pattern):
    """Plays, and interrupts it after a second. Returns the exit status."""
    process = subprocess.Popen(
        [bridge, "play", "--virtual", pattern], env=environment, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    return process.wait(timeout=20)


def without_device(bridge, folder, environment):
    result = run(bridge, environment, "--virtual", os.path.join(folder, "clicks.ahap"))
    check(
        "the absence of a device is no error", result.returncode == 0
        and result.stderr.count("is not heard: the sound device cannot be opened") == 1,
        result.stderr.strip())


if __name__ == "__main__":
    main(os.path.join(os.path.abspath(sys.argv[1]), "bridge"))
    sys.exit(failures > 0)
