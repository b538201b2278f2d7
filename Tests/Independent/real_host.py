"""Checks of the real host, `bridge`, with device.py, and with the virtual board for comparison."""

import json
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from boards import BRIDGE, own_board, rendered, run_bridge, virtual_board
from live import expect_adapted_levels
from protocol import P, ROOT
from report import Skipped, expect, expect_equal, skip
from streams import decoded

PATTERNS = ROOT / "Sources" / "AHAP" / "Patterns"
HBES_HEADER = 16


def compiled(ahap):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pattern.hbes"
        result = run_bridge("compile", ahap, "-o", path)
        expect_equal(result.returncode, 0, "the exit code of compile")
        return path.read_bytes()[HBES_HEADER:]


def taps_in(data):
    return sum(event.kind == P.OP_TAP for event in decoded(data))


def transients_in(ahap):
    entries = json.loads(ahap.read_text())["Pattern"]
    return sum(entry.get("Event", {}).get("EventType") == "HapticTransient" for entry in entries)


class BridgeConversation:
    """The checks with one board."""

    def __init__(self, board):
        self.board = board

    def bridge(self, *arguments):
        result = run_bridge(*arguments, "--port", self.board.path)
        expect_equal(result.returncode, 0, f"the exit code of {arguments[0]} ({result.stderr.strip()})")
        return result.stdout

    def check_actuator_set(self):
        settings = ["--kind", "lra", "--resonance", "170", "--rated", "2.5", "--overdrive", "3.5"]
        self.bridge("actuator", "set", *settings)

    def check_info(self):
        info = json.loads(self.bridge("info", "--json").splitlines()[0])
        expect(info, "there is no output")

    def check_play(self, name):
        ahap = PATTERNS / f"{name}.ahap"
        data = compiled(ahap)
        expect_equal(taps_in(data), transients_in(ahap), "the number of taps")
        seen = len(self.board.levels())
        played = json.loads(self.bridge("play", "--profile", "reference", "--json", ahap).splitlines()[-1])
        expect_equal(played["ending"], "played", "the ending")
        expect_adapted_levels(self.board.levels()[seen:], rendered(data), played["late"])

    def check_stop(self):
        self.bridge("stop")
        expect_equal(self.board.levels()[-1][1], 0, "the last level")

    def check_interrupt(self):
        """Checks that, after SIGINT, the program stops the pattern and then ends itself with the same signal."""
        seen = len(self.board.levels())
        playing = subprocess.Popen(
            [str(BRIDGE), "play", "--port", self.board.path, str(PATTERNS / "tour.ahap")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 5
        while len(self.board.levels()) == seen and time.monotonic() < deadline:
            time.sleep(0.02)
        playing.send_signal(signal.SIGINT)
        expect_equal(playing.wait(10), -signal.SIGINT, "the exit code")
        expect_equal(self.board.levels()[-1][1], 0, "the last level")


def bridge_checks():
    for name, make in (("device.py", own_board), ("virtual board", virtual_board)):
        try:
            if not BRIDGE.exists():
                raise Skipped(f"{BRIDGE} is not built")
            with make() as board:
                conversation = BridgeConversation(board)
                yield f"bridge at {name}: actuator set", conversation.check_actuator_set
                yield f"bridge at {name}: info", conversation.check_info
                for pattern in ("tap", "tour"):
                    yield f"bridge at {name}: {pattern}", lambda: conversation.check_play(pattern)
                yield f"bridge at {name}: stop", conversation.check_stop
                yield f"bridge at {name}: interrupt", conversation.check_interrupt
        except Skipped as reason:
            yield f"bridge at {name}", skip(reason)
