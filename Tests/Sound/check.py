"""Plays patterns with sound on a separate PulseAudio server, and records the server's null sink.

check.py PROGRAMS. PROGRAMS is the folder that contains the program bridge. Prints the results of the checks, and exits
with 1 if a check fails.
"""

import array
import json
import math
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import wave

RATE = 48_000
CLICKS = 8
INTERVAL = 0.25
TAP = {"Time": 0, "EventType": "HapticTransient", "EventParameters": []}
failures = 0


def check(what, is_so, found=""):
    global failures
    print(("ok      " if is_so else "FAILED  ") + what + (f" ({found})" if found else ""), flush=True)
    failures += not is_so


def click():
    """Returns a 2 kHz click that begins with its peak."""
    return [int(28_000 * math.exp(-i / 100) * math.cos(2 * math.pi * i / 24)) for i in range(480)]


def hum():
    """Returns ten periods of a 500 Hz tone. The samples can be repeated without a discontinuity."""
    return [int(20_000 * math.sin(2 * math.pi * i / 96)) for i in range(960)]


def write_wave(path, samples):
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(array.array("h", samples).tobytes())


def write_aiff(path, samples):
    """Writes AIFF. The sample rate is an 80-bit number. The rate 48,000 is 0xBB80 << 48 with the exponent 15."""
    data = struct.pack(f">{len(samples)}h", *samples)
    common = struct.pack(">4sihLh", b"COMM", 18, 1, len(samples), 16)
    common += struct.pack(">HQ", 16383 + 15, 0xBB80 << 48)
    sound = struct.pack(">4sLLL", b"SSND", 8 + len(data), 0, 0) + data
    with open(path, "wb") as file:
        file.write(struct.pack(">4sL4s", b"FORM", 4 + len(common) + len(sound), b"AIFF"))
        file.write(common + sound)


def audio(kind, at=0.0, duration=None, path=None, is_looped=False, **parameters):
    event = {"Time": at, "EventType": kind, "EventParameters": [
        {"ParameterID": name, "ParameterValue": value} for name, value in parameters.items()]}
    if duration is not None:
        event["EventDuration"] = duration
    if path is not None:
        event["EventWaveformPath"] = path
    if is_looped:
        event["EventWaveformLoopEnabled"] = True
    return event


class Heard:
    """A recording. A frame contains a value from -1 to 1 for each of two channels."""

    def __init__(self, samples):
        self.left = [sample / 32_768 for sample in samples[0::2]]
        self.right = [sample / 32_768 for sample in samples[1::2]]

    def onsets(self):
        """Returns the times, in seconds, of sounds that begin after a silence of 50 ms."""
        onsets, last = [], -RATE
        for index, sample in enumerate(self.left):
            if abs(sample) > 0.1:
                if index - last > RATE // 20:
                    onsets.append(index / RATE)
                last = index
        return onsets

    def span(self):
        """Returns the range from the first to the last frame that is not silent, or an empty range if all frames are
        silent."""
        sound = [i for i, pair in enumerate(zip(self.left, self.right)) if max(map(abs, pair)) > 0.01]
        return (sound[0], sound[-1] + 1) if sound else (0, 0)

    def length(self):
        first, end = self.span()
        return (end - first) / RATE

    def middle(self, channel):
        """Returns the middle half of the audible part."""
        first, end = self.span()
        quarter = (end - first) // 4
        return channel[first + quarter : end - quarter]

    def frequency(self):
        part = self.middle(self.left)
        rises = [i for i in range(1, len(part)) if part[i - 1] < 0 <= part[i]]
        return RATE * (len(rises) - 1) / (rises[-1] - rises[0]) if len(rises) > 1 else 0

    def peaks(self):
        return tuple(max(map(abs, self.middle(channel)), default=0) for channel in (self.left, self.right))


class Recorder:
    """Records the output of the sink's monitor into a file. During a recording, the sink plays in short blocks; without
    a recording, it plays up to two seconds ahead."""

    def __init__(self, environment, folder):
        self.path = os.path.join(folder, "heard")
        self.process = subprocess.Popen(
            ["parec", "-d", "check.monitor", "--format=s16le", f"--rate={RATE}", "--channels=2",
             "--latency-msec=10"],
            stdout=open(self.path, "wb"), env=environment)
        limit = time.monotonic() + 10
        while not self.position() and time.monotonic() < limit:
            time.sleep(0.05)

    def position(self):
        return os.path.getsize(self.path) // 4 * 4

    def sound(self, start):
        """Waits for half a second. Returns the recording from a position on."""
        time.sleep(0.5)
        with open(self.path, "rb") as file:
            file.seek(start)
            data = file.read()
        return Heard(array.array("h", data[: len(data) // 4 * 4]))

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Player:
    """Plays patterns, and records the sound of the patterns."""

    def __init__(self, bridge, folder, environment):
        self.bridge, self.folder, self.environment = bridge, folder, environment
        self.recorder = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def pattern(self, name, events):
        with open(self.path(name), "w") as file:
            json.dump({"Version": 1.0, "Pattern": [{"Event": event} for event in events]}, file)
        return self.path(name)

    def run(self, *arguments):
        return subprocess.run(
            [self.bridge, "play", *arguments], env=self.environment, capture_output=True, text=True,
            timeout=60)

    def hear(self, *arguments):
        start = self.recorder.position()
        result = self.run(*arguments)
        return result, self.recorder.sound(start)

    def hear_events(self, *events):
        result, sound = self.hear("--virtual", self.pattern("events.ahap", [TAP, *events]))
        check("the pattern plays", result.returncode == 0, result.stderr.strip()) \
            if result.returncode else None
        return sound


def main(bridge):
    with tempfile.TemporaryDirectory() as folder:
        configuration = os.path.join(folder, "alsa.conf")
        with open(configuration, "w") as file:
            file.write("</usr/share/alsa/alsa.conf>\npcm.!default { type pulse }\n")
        socket = os.path.join(folder, "native")
        environment = dict(
            os.environ, PULSE_SERVER=f"unix:{socket}", ALSA_CONFIG_PATH=configuration,
            XDG_RUNTIME_DIR=folder, XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder)
        player = Player(bridge, folder, environment)
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
            player.recorder = Recorder(environment, folder)
            listen(player)
            player.recorder.stop()
        finally:
            server.terminate()
            server.wait()
        without_device(player)


def listen(player):
    clicks_are_heard(player)
    what_would_be_felt_is_heard(player)
    saves_are_heard(player)
    tones_are_heard(player)
    files_are_heard(player)
    stops_silence(player)


def clicks_are_heard(player):
    write_wave(player.path("click.wav"), click())
    events = []
    for index in range(CLICKS):
        at = index * INTERVAL
        events += [dict(TAP, Time=at), audio("AudioCustom", at, path="click.wav")]
    clicks = player.pattern("clicks.ahap", events)
    for place in ["--virtual", "--preview"]:
        result, sound = player.hear(place, clicks)
        onsets = sound.onsets()
        check(f"{place}: the pattern plays", result.returncode == 0, result.stderr.strip())
        check(f"{place}: each click is audible once", len(onsets) == CLICKS, f"{len(onsets)} of {CLICKS}")
        steps = [(after - before) * 1_000 for before, after in zip(onsets, onsets[1:])]
        worst = max((abs(step - INTERVAL * 1_000) for step in steps), default=math.inf)
        check(f"{place}: the clicks are {INTERVAL * 1_000:.0f} ms apart", worst < 5,
              f"{worst:.2f} ms maximum deviation")

    result, sound = player.hear("--virtual", "--no-sound", clicks)
    check("--no-sound is silent", result.returncode == 0 and not sound.length())

    events[1]["EventWaveformPath"] = "gone.wav"
    missing = player.pattern("missing.ahap", events)
    for options, status in ([], 0), (["--strict"], 65):
        result = player.run("--virtual", *options, missing)
        check(
            f"a missing sound is reported with its position, exit status {status}",
            result.returncode == status and "missing.ahap:1:" in result.stderr
            and "gone.wav: there is no such sound file" in result.stderr, result.stderr.strip())


def what_would_be_felt_is_heard(player):
    taps = player.pattern("taps.ahap", [dict(TAP, Time=index * INTERVAL) for index in range(CLICKS)])
    result, sound = player.hear("--preview", taps)
    onsets = sound.onsets()
    check("a preview plays the felt events as sound", result.returncode == 0 and len(onsets) == CLICKS,
          f"{len(onsets)} of {CLICKS} taps")
    result, sound = player.hear("--preview", "--no-sound", taps)
    check("--no-sound silences a preview", result.returncode == 0 and not sound.length())


def saves_are_heard(player):
    path = player.pattern("saved.ahap", [TAP, audio("AudioContinuous", duration=0.3)])
    start = player.recorder.position()
    process = subprocess.Popen(
        [player.bridge, "play", "--virtual", "--watch", path], env=player.environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(2)
    first = player.recorder.sound(start)
    start = player.recorder.position()
    player.pattern("saved.ahap", [TAP, audio("AudioContinuous", duration=0.6)])
    time.sleep(1.5)
    second = player.recorder.sound(start)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=20)
    check("--watch plays sound", abs(first.length() - 0.3) < 0.05, f"{first.length():.3f} s of 0.3")
    check("a save is played", abs(second.length() - 0.6) < 0.05, f"{second.length():.3f} s of 0.6")


def tones_are_heard(player):
    result, sound = player.hear("--virtual", "watch-success")
    check("a named pattern of a watch has its tone", result.returncode == 0 and sound.length() > 0.3,
          f"{sound.length():.2f} s")

    for pitch, frequency in [(-1, 220), (0, 440), (1, 880)]:
        sound = player.hear_events(audio(
            "AudioContinuous", duration=1, AudioPitch=pitch, AudioBrightness=0, AudioVolume=0.5))
        check(f"a tone of pitch {pitch} has {frequency} Hz", abs(sound.frequency() / frequency - 1) < 0.01,
              f"{sound.frequency():.1f} Hz")
        check("the tone is audible for a second", abs(sound.length() - 1) < 0.05, f"{sound.length():.3f} s")

    for volume, pan in [(0.5, 0), (0.25, 0), (0.5, -1), (0.5, 1)]:
        sound = player.hear_events(audio(
            "AudioContinuous", duration=0.6, AudioBrightness=0, AudioVolume=volume, AudioPan=pan))
        wanted = (volume * min(1, 1 - pan), volume * min(1, 1 + pan))
        check(f"volume {volume} at pan {pan} is audible left and right",
              all(abs(a - b) < 0.02 for a, b in zip(sound.peaks(), wanted)),
              "{:.3f}, {:.3f}".format(*sound.peaks()))


def files_are_heard(player):
    write_wave(player.path("hum.wav"), hum())
    sound = player.hear_events(audio("AudioCustom", path="hum.wav"))
    check("a sound is audible once", abs(sound.length() - 0.02) < 0.003, f"{sound.length():.3f} s")
    sound = player.hear_events(audio("AudioCustom", duration=0.8, path="hum.wav", is_looped=True))
    check("a looped sound is audible for the duration of the event",
          abs(sound.length() - 0.8) < 0.02 and abs(sound.frequency() - 500) < 5,
          f"{sound.length():.3f} s, {sound.frequency():.1f} Hz")

    write_aiff(player.path("hum.aiff"), hum())
    sound = player.hear_events(audio("AudioCustom", path="hum.aiff"))
    check("AIFF is audible", abs(sound.length() - 0.02) < 0.003, f"{sound.length():.3f} s")

    sounds = []
    for index in range(27):
        write_wave(player.path(f"part{index}.wav"), [sample // 27 for sample in click()])
        sounds.append(audio("AudioCustom", path=f"part{index}.wav"))
    sound = player.hear_events(*sounds)
    peak = max(map(abs, sound.left))
    check("27 sounds are audible together", len(sound.onsets()) == 1 and abs(peak - 28 / 32.768) < 0.1,
          f"{len(sound.onsets())} onsets, peak {peak:.2f}")


def stops_silence(player):
    long = player.pattern("long.ahap", [
        {"Time": 0, "EventType": "HapticContinuous", "EventDuration": 10, "EventParameters": []},
        audio("AudioContinuous", duration=10)])
    start = player.recorder.position()
    process = subprocess.Popen(
        [player.bridge, "play", "--virtual", long], env=player.environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(2.5)
    stopped = player.recorder.position()
    process.send_signal(signal.SIGINT)
    process.wait(timeout=20)
    sound = player.recorder.sound(start)
    after = sound.span()[1] / RATE - (stopped - start) / 4 / RATE
    check("Ctrl-C silences", sound.length() > 0.5 and after < 0.3, f"after {after * 1_000:.0f} ms")


def without_device(player):
    result = player.run("--virtual", player.path("clicks.ahap"))
    check(
        "the absence of a device is not an error", result.returncode == 0
        and result.stderr.count("is not played: the sound device cannot be opened") == 1,
        result.stderr.strip())


if __name__ == "__main__":
    main(os.path.join(os.path.abspath(sys.argv[1]), "bridge"))
    sys.exit(failures > 0)
