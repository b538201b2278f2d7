"""Plays patterns on voice coils and records them. A null sink with four channels on a separate PulseAudio server
represents the coils.

coils.py PROGRAMS, where PROGRAMS is the folder that contains the program bridge. Prints the results of the checks, and
exits with 1 if a check fails.
"""

import array
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

RATE = 48_000
CHANNELS = 4
CHANNEL_MAP = "front-left,front-right,rear-left,rear-right"
BAND = (75, 300)
BLOCK = 2  # the requested block length of the recording, in milliseconds
QUIET = 0.003  # the amplitude below which the coils are at rest
OUTPUT = ["--output", "sound:coils::3,4", "--band", f"{BAND[0]}-{BAND[1]}"]
failures = 0


def check(what, is_so, found=""):
    global failures
    print(("ok      " if is_so else "FAILED  ") + what + (f" ({found})" if found else ""), flush=True)
    failures += not is_so


def now():
    """Returns the time on the clock of `bridge`, in seconds."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def event(kind, at=0.0, intensity=1.0, sharpness=0.5, duration=None):
    body = {"Time": at, "EventType": kind, "EventParameters": [
        {"ParameterID": "HapticIntensity", "ParameterValue": intensity},
        {"ParameterID": "HapticSharpness", "ParameterValue": sharpness}]}
    if duration is not None:
        body["EventDuration"] = duration
    return body


def tap(at, **parameters):
    return event("HapticTransient", at, **parameters)


def hold(duration, **parameters):
    return event("HapticContinuous", duration=duration, **parameters)


def decibels(ratio):
    return 20 * math.log10(ratio) if ratio > 0 else -math.inf


def high_pass(samples, cutoff=1_000):
    """Filters samples with an eighth-order Butterworth high-pass filter. Returns the components above a frequency."""
    for stage in range(4):
        quality = 1 / (2 * math.cos(math.pi * (2 * stage + 1) / 16))
        angle = 2 * math.pi * cutoff / RATE
        alpha, cosine = math.sin(angle) / (2 * quality), math.cos(angle)
        gain = (1 + cosine) / 2 / (1 + alpha)
        back, twice = 2 * cosine / (1 + alpha), -(1 - alpha) / (1 + alpha)
        result, x1, x2, y1, y2 = [], 0.0, 0.0, 0.0, 0.0
        for x in samples:
            y = gain * (x - 2 * x1 + x2) + back * y1 + twice * y2
            x1, x2, y1, y2 = x, x1, y, y1
            result.append(y)
        samples = result
    return samples


class Witness:
    """Records the times at which this process was not scheduled. At such a time, other processes were not scheduled
    either, so a delay that was measured then is meaningless."""

    TOLERANCE = 0.004

    def __init__(self):
        self.stalls = []
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        last = now()
        while True:
            time.sleep(0.001)
            if now() - last > self.TOLERANCE:
                self.stalls.append((last, now()))
            last = now()

    def saw_stall(self, start, end):
        return any(first < end and start < last for first, last in self.stalls)


class Recording:
    """The frames of the sink, with their times on the clock of `bridge`.

    The monitor of a null sink passes on each block when the sink accepts it. A frame therefore arrives up to one block
    before its playback, delayed only by the transport. The time of a frame is calculated from the earliest arrival
    within half a second before and after the frame.
    """

    def __init__(self, environment):
        self.samples, self.arrivals = array.array("f"), []
        self.process = subprocess.Popen(
            ["parec", "-d", "coils.monitor", "--format=float32le", f"--rate={RATE}",
             f"--channels={CHANNELS}", f"--channel-map={CHANNEL_MAP}",
             f"--latency-msec={BLOCK}", f"--process-time-msec={BLOCK}"],
            stdout=subprocess.PIPE, env=environment)
        self.thread = threading.Thread(target=self.read)
        self.thread.start()
        limit = time.monotonic() + 10
        while not self.arrivals and time.monotonic() < limit:
            time.sleep(0.01)

    def read(self):
        rest = b""
        while True:
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            if not data:
                return
            time_of_arrival = now()
            rest += data
            whole = len(rest) // (4 * CHANNELS) * 4 * CHANNELS
            self.samples.frombytes(rest[:whole])
            rest = rest[whole:]
            count = len(self.samples) // CHANNELS
            self.arrivals.append((count, time_of_arrival - count / RATE))

    def stop(self):
        time.sleep(0.1)
        self.process.terminate()
        self.thread.join()
        self.process.wait()

    def channel(self, number):
        return self.samples[number - 1::CHANNELS]

    def time(self, frame):
        return min(origin for count, origin in self.arrivals if abs(count - frame) < RATE // 2) + frame / RATE

    def onsets(self, number=3, level=QUIET):
        """Returns the times at which sound begins after a silence of 50 ms."""
        onsets, last = [], -RATE
        for index, sample in enumerate(self.channel(number)):
            if abs(sample) > level:
                if index - last > RATE // 20:
                    onsets.append(self.time(index))
                last = index
        return onsets

    def span(self, number=3):
        sound = [index for index, sample in enumerate(self.channel(number)) if abs(sample) > QUIET]
        return (sound[0], sound[-1] + 1) if sound else (0, 0)

    def middle(self, number=3):
        """Returns the middle half of the audible part."""
        first, end = self.span(number)
        quarter = (end - first) // 4
        return self.channel(number)[first + quarter: end - quarter]

    def is_whole(self):
        """Returns True if sound continues without a silence of half a millisecond. The server inserts this silence if
        the computer is too busy to fill the short buffer for voice coils."""
        first, end = self.span()
        silence = 0
        for left, right in zip(self.channel(3)[first:end], self.channel(4)[first:end]):
            silence = 0 if left or right else silence + 1
            if silence > RATE // 2_000:
                return False
        return end > first

    def frequency(self):
        part = self.middle()
        rises = [i - part[i] / (part[i] - part[i - 1]) for i in range(1, len(part)) if part[i - 1] < 0 <= part[i]]
        return RATE * (len(rises) - 1) / (rises[-1] - rises[0]) if len(rises) > 1 else 0

    def level(self, number=3):
        """Returns the amplitude of the sine in the middle of the audible part."""
        part = self.middle(number)
        return math.sqrt(2 * sum(sample * sample for sample in part) / len(part)) if part else 0


class Player:
    def __init__(self, bridge, folder, environment):
        self.bridge, self.folder, self.environment = bridge, folder, environment

    def pattern(self, *events):
        path = os.path.join(self.folder, "pattern.ahap")
        with open(path, "w") as file:
            json.dump({"Version": 1.0, "Pattern": [{"Event": event} for event in events]}, file)
        return path

    def start(self, *arguments):
        return subprocess.Popen(
            [self.bridge, "play", "--json", *OUTPUT, *arguments], env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def hear_whole(self, *events, options=()):
        """Returns a recording without inserted silence."""
        for _ in range(20):
            sound = self.hear(*events, options=options)
            if sound.is_whole():
                return sound
        check("the server records without a gap, in 20 attempts", False)
        return sound

    def hear(self, *events, options=()):
        recording = Recording(self.environment)
        process = self.start(*options, self.pattern(*events))
        output, errors = process.communicate(timeout=60)
        recording.stop()
        if process.returncode:
            check("the pattern plays", False, errors.strip())
        self.result = json.loads(output) if output else {}
        return recording

    def control(self, *words):
        return subprocess.run(["pactl", *words], env=self.environment, capture_output=True, text=True).stdout


def frequencies_and_levels(player):
    for sharpness in [0, 0.5, 1]:
        wanted = BAND[0] * (BAND[1] / BAND[0]) ** sharpness
        sound = player.hear_whole(hold(0.8, sharpness=sharpness))
        frequency, level = sound.frequency(), decibels(sound.level())
        check(f"sharpness {sharpness} is {wanted:.0f} Hz", abs(frequency / wanted - 1) < 0.01, f"{frequency:.2f} Hz")
        check("intensity 1 is -6 dBFS", abs(level + 6) < 0.5, f"{level:.2f} dBFS")
        check("the right coil has the same level", abs(decibels(sound.level(4)) - level) < 0.1)
        check("the other channels are silent", max(map(abs, sound.channel(1) + sound.channel(2))) == 0)
    for intensity in [0.25, 0.5]:
        level = decibels(player.hear_whole(hold(0.5, intensity=intensity), options=["--level", "-12"]).level())
        wanted = decibels(intensity) - 12
        check(f"intensity {intensity} below -12 dBFS is {wanted:.1f} dBFS", abs(level - wanted) < 0.5, f"{level:.2f} dBFS")
    for sharpness, wanted in [(0, -12), (1, -6)]:
        sound = player.hear_whole(hold(0.5, sharpness=sharpness), options=["--response", "75:1,300:0.5"])
        level = decibels(sound.level())
        check(f"with a response, sharpness {sharpness} is {wanted} dBFS", abs(level - wanted) < 0.5, f"{level:.2f} dBFS")
    sound = player.hear_whole(hold(0.5), options=["--locality", "leftHandle"])
    check("the left handle is the left coil", sound.level(3) > 0.4 and max(map(abs, sound.channel(4))) == 0)


def edges(player):
    for sharpness in [0, 1]:
        for what, events in [
            ("a level", [hold(0.1, sharpness=sharpness)]),
            ("a tap", [tap(0, sharpness=sharpness)]),
        ]:
            sound = part(player.hear_whole(*events))
            worst = decibels(max(map(abs, high_pass(sound))) / max(map(abs, sound)))
            check(f"{what} of sharpness {sharpness} has no click above -40 dB", worst < -40, f"{worst:.1f} dB")


def part(sound):
    """Returns the audible part with 20 ms before and after it."""
    first, end = sound.span()
    return list(sound.channel(3)[max(0, first - 960): end + 960])


def onsets(player):
    """Compares the onsets of taps on the coils with the onsets on the bus of a virtual board in the same playback."""
    witness, errors, attempts, played = Witness(), [], 0, 0
    trace = os.path.join(player.folder, "trace")
    taps = [tap(0.1 * index, sharpness=1) for index in range(4)]
    while played < 5 and attempts < 40:
        attempts += 1
        sound = player.hear(*taps, options=["--virtual", "--trace", trace])
        with open(trace) as file:
            writes = [line.split() for line in file]
        levels = [(int(time) / 1e6, int(data[4:], 16)) for time, data in writes
                  if data.startswith("b402") and len(data) == 6]
        begins = [at for (at, level), (_, before) in zip(levels, [(0, 0)] + levels) if level > 0 and before == 0]
        if not begins or witness.saw_stall(begins[0] - 0.3, begins[-1] + 0.1):
            continue
        heard = sound.onsets()
        if len(heard) != 4 or len(begins) != 4:
            check("each tap is on the bus and on the coils", False, f"{len(begins)}, {len(heard)} of 4")
        errors += [(at - begin) * 1_000 for at, begin in zip(heard, begins)]
        played += 1
    found = f"{min(errors):.2f} to {max(errors):.2f} ms" if errors else "none"
    check("the coils begin within 5 ms of the board", played == 5 and all(abs(error) < 5 for error in errors),
          f"{found}, {len(errors)} taps, {attempts - played} plays disturbed")


def ends(player):
    witness = Witness()
    for name, number, status in [
        ("Ctrl-C", signal.SIGINT, -signal.SIGINT), ("a termination", signal.SIGTERM, -signal.SIGTERM),
        ("a kill", signal.SIGKILL, -signal.SIGKILL),
    ]:
        delays, attempts = [], 0
        while len(delays) < 5 and attempts < 20:
            attempts += 1
            recording = Recording(player.environment)
            process = player.start(player.pattern(hold(10)))
            time.sleep(1.5)
            stopped = now()
            process.send_signal(number)
            process.communicate(timeout=10)
            recording.stop()
            first, end = recording.span()
            if process.returncode != status:
                check(f"a playing program ends with the signal {name}", False, str(process.returncode))
            # On a busy computer, the program may not have played yet when it receives the signal.
            has_played = (end - first) / RATE >= 0.3
            if has_played and not witness.saw_stall(stopped - 0.1, stopped + 0.1):
                delays.append((recording.time(end) - stopped) * 1_000)
        found = ", ".join(f"{delay:.1f}" for delay in delays) + f" ms; {attempts - len(delays)} disturbed"
        check(f"{name} is silent within 20 ms", len(delays) == 5 and max(delays) < 20, found)
    limited = player.hear(hold(1), options=["--longest", "0.3"])
    first, end = limited.span()
    check("--longest ends the output", abs((end - first) / RATE - 0.3) < 0.02, f"{(end - first) / RATE:.3f} s")
    check("the result names the limit", player.result["output_limited"] is True)
    player.hear(hold(0.1))
    check("the result names no limit otherwise", player.result["output_limited"] is False)


def unplugging(player):
    """Removes the sink while it plays. The server cannot move the stream, because there is no other sink."""
    process = player.start(player.pattern(hold(20)))
    time.sleep(3)
    number = player.control("list", "short", "modules").split("module-null-sink")[0].split()[-1]
    unplugged = now()
    player.control("unload-module", number)
    errors = process.communicate(timeout=10)[1]
    ended = now() - unplugged
    check("a lost device ends the program", process.returncode == 74 and ended < 2 and "has stopped" in errors,
          f"status {process.returncode} after {ended:.2f} s: {errors.strip()}")
    absent = player.start(player.pattern(hold(1)))
    errors = absent.communicate(timeout=10)[1]
    check("an absent device is named", absent.returncode == 69 and "sound:coils::3,4" in errors,
          f"status {absent.returncode}: {errors.strip()}")


def main(bridge):
    with tempfile.TemporaryDirectory() as folder:
        configuration = os.path.join(folder, "alsa.conf")
        with open(configuration, "w") as file:
            file.write("</usr/share/alsa/alsa.conf>\npcm.coils { type pulse device coils }\n")
        socket = os.path.join(folder, "native")
        environment = dict(
            os.environ, PULSE_SERVER=f"unix:{socket}", ALSA_CONFIG_PATH=configuration,
            XDG_RUNTIME_DIR=folder, XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder)
        player = Player(bridge, folder, environment)
        server = subprocess.Popen(
            ["pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
             f"--load=module-null-sink sink_name=coils rate={RATE} channels={CHANNELS} channel_map={CHANNEL_MAP}",
             f"--load=module-native-protocol-unix auth-anonymous=1 socket={socket}"],
            env=environment, stderr=subprocess.DEVNULL)
        try:
            limit = time.monotonic() + 10
            while not os.path.exists(socket) and time.monotonic() < limit:
                time.sleep(0.05)
            time.sleep(0.3)
            for part_of_check in [frequencies_and_levels, edges, onsets, ends, unplugging]:
                part_of_check(player)
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main(os.path.join(os.path.abspath(sys.argv[1]), "bridge"))
    sys.exit(failures > 0)
