#!/usr/bin/env python3
"""Tests that a virtual board plays the edits in independent editors.

Prints a line for each check, then the measured figures, and exits with 1 if a check fails. The editors implement the
published parts of the protocols of Meta Haptics Studio and Haptrix; neither of these two programs is run.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from audition import WAIT_S, Audition, wait
from desktop import DIGITS, Desktop, announce, haptic
from haptrix import AHAP, KILL, ZIP, Haptrix, ahap, archive

import report  # of Tests/Independent
from report import Skipped, expect, expect_equal

# The maximum time from the loss of the connection until the dead-man stop has stopped the actuator, including delays on
# a busy computer.
REST_S = 0.5
# The duration of two of the editor's ping intervals.
SILENCE_S = 10
EDITS = 60
figures = {}


def note_figures(name, times):
    """Records the time from each edit to the first write on the bus that follows the edit."""
    times.sort()
    figures[f"{name}_ms_p50"] = times[len(times) // 2]
    figures[f"{name}_ms_max"] = times[-1]


def studio(desktop, *arguments, **options):
    return Audition("studio", "--connect", f"127.0.0.1:{desktop.port}", *arguments, **options)


def known_studio(desktop, **options):
    return studio(desktop, "--code", DIGITS, **options)


def check_pairing():
    with tempfile.TemporaryDirectory() as state, Desktop() as desktop:
        with studio(desktop, "--code", "0000", state=state) as audition:
            audition.wait_for_output("digits differ from those")
            audition.tool.stdin.write(DIGITS + "\n")
            audition.tool.stdin.flush()
            audition.wait_for_output("each edit is felt")
            expect_equal(desktop.asked, ["0000", DIGITS], "the typed digits")
            device = next(iter(desktop.devices.values()))
            expect_equal(device["name"], "Haptic Bridge", "the name of the device")
            expect_equal(audition.end(), -signal.SIGINT, "the exit status after Ctrl-C")
        file = Path(state) / "haptic-bridge" / "audition"
        expect_equal(file.stat().st_mode & 0o777, 0o600, "the permissions of the file that stores the device id")
        desktop.asked.clear()
        with studio(desktop, state=state) as audition:
            audition.wait_for_output("each edit is felt")
            expect_equal(desktop.asked, [], "the digits requested from a known device")


def check_nobody_types():
    with Desktop() as desktop, studio(desktop) as audition:
        audition.tool.stdin.close()
        expect_equal(audition.tool.wait(WAIT_S), 64, "the exit status if no digits are typed")


def check_edits():
    with Desktop() as desktop, known_studio(desktop) as audition:
        audition.wait_for_output("each edit is felt")
        time.sleep(0.3)
        expect(not any(audition.levels()), "an existing clip plays before it is edited")
        times = []
        for number in range(EDITS):
            began = desktop.edit(haptic(0.2 + 0.01 * number, 0.05))
            times.append((audition.wait_for_level(f"edit {number}") - began) * 1000)
            audition.wait_for_rest()
        note_figures("audition_studio", times)
        expect_equal(audition.output.count('"Door": 0.05 s'), EDITS, "the number of reported edits")


def check_change():
    """Checks that a change near the end of a long clip is played immediately, not after the beginning of the clip."""
    with Desktop() as desktop, known_studio(desktop) as audition:
        audition.wait_for_output("each edit is felt")
        desktop.edit(haptic(0, 20, [(1, 0.5), (18, 0.5)]))
        audition.wait_for_output("18.00 s")
        began = desktop.edit(haptic(0, 20, [(1, 0.5), (15, 0.9), (18, 0.5)]))
        expect(audition.wait_for_level("the tap at 15 s") - began < 0.8, "the change is played late")
        audition.wait_for_output("from 14.70 s")


def check_selection():
    with Desktop() as desktop, known_studio(desktop) as audition:
        audition.wait_for_output("each edit is felt")
        desktop.emit("current_clip", {"currentClipId": "c2"})
        audition.wait_for_level("the selected clip")
        audition.wait_for_rest()
        desktop.emit("play_test_pattern", {})
        audition.wait_for_level("the test")
        desktop.edit(haptic(0.5, 10))
        audition.wait_for_level("the long clip")
        desktop.emit("project_close", {})
        audition.wait_for_rest("rest after the project was closed", REST_S)


def check_damaged_edit():
    with Desktop() as desktop, known_studio(desktop) as audition:
        audition.wait_for_output("each edit is felt")
        desktop.edit('{"version":\n{"major":2}}')
        audition.wait_for_output("error:")
        # The editor also sends this device the bytes that another device has requested.
        desktop.emit("get_audio_binary", {"audio": bytes(100_000), "clipId": "c1"})
        desktop.edit(haptic(0.5, 0.05))
        audition.wait_for_level("the edit after the damaged edit")


def check_loss():
    with Desktop() as desktop:
        port, known = desktop.port, desktop.known
        with known_studio(desktop) as audition:
            for way in ("without a message", "with a message"):
                audition.wait_for_output("each edit is felt")
                desktop.edit(haptic(0.5, 10))
                audition.wait_for_level("the long clip")
                if way == "with a message":
                    desktop.run(desktop.io.disconnect(next(iter(desktop.devices))))
                else:
                    desktop.lose()
                audition.wait_for_rest(f"rest after the loss {way}", REST_S)
                audition.wait_for_output("at rest")
                wait(lambda: desktop.devices, "the next connection")
                time.sleep(0.3)
            desktop.edit(haptic(0.5, 0.05))
            audition.wait_for_level("the edit after the loss")
            expect_equal(len(desktop.asked), 1, "the number of requests for digits")


def check_silence():
    with Desktop() as desktop, known_studio(desktop) as audition:
        audition.wait_for_output("each edit is felt")
        desktop.edit(haptic(0.5, 30))
        audition.wait_for_level("the long clip")
        desktop.hang(SILENCE_S + 1)
        audition.wait_for_rest("rest after silence", SILENCE_S + REST_S)
        audition.wait_for_output("the editor does not respond; at rest")


def check_end():
    with Desktop() as desktop, known_studio(desktop) as audition:
        audition.wait_for_output("each edit is felt")
        desktop.edit(haptic(0.5, 10))
        audition.wait_for_level("the long clip")
        expect_equal(audition.end(), -signal.SIGINT, "the exit status after Ctrl-C")
        audition.wait_for_rest("rest after Ctrl-C", REST_S)
        audition.wait_for_output("the actuator is at rest")


def check_haptics_off():
    with Desktop() as desktop, known_studio(desktop, haptics=False) as audition:
        audition.wait_for_output("nothing is felt: haptics are off")
        for _ in range(5):
            desktop.edit(haptic(1, 0.1, [(0.05, 1)]))
            time.sleep(0.1)
        audition.wait_for_output('"Door"')
        expect(not any(audition.levels()), "levels are played although the user has switched haptics off")


def check_flood():
    with Desktop() as desktop, known_studio(desktop) as audition:
        audition.wait_for_output("each edit is felt")
        began = time.monotonic()
        async def flood():
            for number in range(3000):
                await desktop.io.emit("clip_update", {**desktop.clip, "haptic": haptic(number / 4000, 0.1)})
        desktop.run(flood())
        desktop.edit(haptic(1, 0.5))
        wait(lambda: 255 in audition.levels(), "the newest edit")
        took = time.monotonic() - began
        felt = audition.output.count('"Door"')
        expect(felt <= 50 * took + 2, f"{felt} starts of playback in {took} s")


def check_broadcast():
    with Desktop() as desktop, Audition("studio", "--code", DIGITS) as audition:
        audition.wait_for_output("waiting for Meta Haptics Studio")
        announce(desktop.port)
        audition.wait_for_output("(desk): each edit is felt")
        desktop.edit(haptic(0.5, 0.05))
        audition.wait_for_level()


def check_absence():
    """Checks that the tool reports the absence of the editor once, and waits for the editor."""
    with Desktop() as desktop:
        port = desktop.port
    with Audition("studio", "--connect", f"127.0.0.1:{port}", "--code", DIGITS) as audition:
        audition.wait_for_output("Connection refused; trying again")
        time.sleep(2.5)
        expect_equal(audition.output.count("trying again"), 1, "the number of reports that the editor is absent")
        with Desktop(port=port):
            audition.wait_for_output("each edit is felt")


def check_strangers():
    """Checks that the tool closes a connection to a server that is not an editor, and that the server has no other
    effect."""
    answers = [
        b"", b"\x00" * 100_000, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", b"HTTP/1.1 101 Upgrade\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n\x81\x7f\x3f" + b"\xff" * 7,
        b"X" * 1_000_000]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(WAIT_S)
        port = listener.getsockname()[1]
        with Audition("studio", "--connect", f"127.0.0.1:{port}") as audition:
            for answer in answers:
                device, _ = listener.accept()
                device.recv(4096)
                try:
                    device.sendall(answer)
                except OSError:
                    pass
                device.close()
            listener.accept()[0].close()
            audition.wait_for_output("the server does not open a WebSocket, but responds with 200; trying again")
            expect(audition.tool.poll() is None, f"the tool has ended: {audition.output}")
            expect(not any(audition.levels()), "a level is played for a server that is not an editor")


def check_keep_alive():
    """Checks that the system sends TCP keep-alive probes when Haptrix is silent, because Haptrix has no keep-alive
    messages."""
    with Haptrix() as editor, Audition("haptrix", "--connect", f"127.0.0.1:{editor.port}") as audition:
        editor.accept()
        audition.wait_for_output("each edit is felt")
        table = Path("/proc/net/tcp")
        if not table.exists():
            raise Skipped("the timers of connections are listed only on Linux")
        remote = f"0100007F:{editor.port:04X}"
        fields = next(line.split() for line in table.read_text().splitlines() if line.split()[2] == remote)
        kind, ticks = fields[5].split(":")
        expect_equal(kind, "02", "the timer of the connection")
        expect(int(ticks, 16) <= 500, f"the first probe is sent after {int(ticks, 16) / 100} s")


def check_avahi():
    command = ["avahi-publish-service", "Anna’s Mac; 2", "_haptrix._tcp"]
    if not shutil.which(command[0]) or subprocess.run(["avahi-daemon", "--check"]).returncode:
        raise Skipped("Avahi is not running")
    with Haptrix(everywhere=True) as editor:
        output = subprocess.DEVNULL
        with subprocess.Popen([*command, str(editor.port)], stdout=output, stderr=output) as publisher:
            try:
                with Audition("haptrix") as audition:
                    editor.accept()
                    audition.wait_for_output("(Anna’s Mac; 2): each edit is felt")
            finally:
                publisher.terminate()


def check_haptrix():
    with Haptrix() as editor, Audition("haptrix", "--connect", f"127.0.0.1:{editor.port}") as audition:
        editor.accept()
        audition.wait_for_output("each edit is felt")
        editor.send(ZIP, archive({"Tap.ahap": ahap(0.5), "tap.wav": b"RIFF"}))
        audition.wait_for_level("the archive")
        audition.wait_for_output('"Tap.ahap": 0.05 s; 1 sound not played')
        audition.wait_for_rest()
        editor.send(AHAP, ahap(0.7))
        audition.wait_for_level("the file of an old version")
        times = []
        for number in range(EDITS):
            audition.wait_for_rest()
            content = archive({"Tap.ahap": ahap(0.3 + 0.01 * number)})
            began = time.monotonic()
            editor.send(ZIP, content)
            times.append((audition.wait_for_level(f"edit {number}") - began) * 1000)
        note_figures("audition_haptrix", times)


def check_haptrix_harm():
    with Haptrix() as editor, Audition("haptrix", "--connect", f"127.0.0.1:{editor.port}") as audition:
        editor.accept()
        audition.wait_for_output("each edit is felt")
        for content, words in [
            (archive({"../Tap.ahap": ahap(1)}), "outside the folder of the archive"),
            (archive({"Tap.ahap": bytes(20_000_000)}), "at most 16777216 are unpacked"),
            (archive({"tap.wav": b"RIFF"}), "no file whose name ends in .ahap"),
            (archive({"Tap.ahap": ahap(1)})[:-1], "not a ZIP archive"),
            (os.urandom(1000), "not a ZIP archive")]:
            editor.send(ZIP, content)
            audition.wait_for_output(words)
        editor.send(99, bytes(1000))
        expect(not any(audition.levels()), "a refused archive is played")
        editor.send(ZIP, archive({"Tap.ahap": ahap(0.5, 10)}))
        audition.wait_for_level("the archive after the refused ones")
        editor.send(KILL)
        audition.wait_for_rest("rest after the message that ends the connection", REST_S)
        editor.accept()
        wait(lambda: audition.output.count("each edit is felt") == 2, "the next connection")
        editor.send(ZIP, archive({"Tap.ahap": ahap(0.5, 10)}))
        audition.wait_for_level("the archive of the next connection")
        editor.device.sendall(b"\xff" * 8)
        audition.wait_for_rest("rest after a refused length", REST_S)
        audition.wait_for_output("at most 33554432 are read")


CHECKS = {
    "an unknown device asks for the digits, and a known device is admitted without them": check_pairing,
    "the command ends if no digits are typed": check_nobody_types,
    "each edit is played": check_edits,
    "an edit is played from just before the change": check_change,
    "selecting a clip plays it, and closing the project stops it": check_selection,
    "a damaged edit does not end the connection": check_damaged_edit,
    "the loss of the editor stops the actuator, and the tool waits for the editor": check_loss,
    "the silence of the editor stops the actuator": check_silence,
    "Ctrl-C stops the actuator": check_end,
    "an editor does not switch on haptics that the user has switched off": check_haptics_off,
    "a flood of edits is played at 50 per second": check_flood,
    "Meta Haptics Studio is found by its broadcast": check_broadcast,
    "the tool waits for an editor that is not running": check_absence,
    "servers that are not editors have no effect": check_strangers,
    "Haptrix is found by Avahi": check_avahi,
    "a lost computer is detected": check_keep_alive,
    "the archives that Haptrix sends are played": check_haptrix,
    "archives and messages of other programs have no effect": check_haptrix_harm,
}

if __name__ == "__main__":
    failed = report.run(CHECKS.items())
    for name, value in figures.items():
        print(f"figure {name} {value:.1f} ms")
    sys.exit(1 if failed else 0)
