#!/usr/bin/env python3
"""Runs the clients' examples and the code in the article about the clients on a virtual board.

examples.py FOLDER_OF_THE_PROGRAMS FOLDER_OF_BUILT_FILES PYTHON; the package `buttplug` is installed for PYTHON
"""

import os
import re
import socket
import subprocess
import sys
import textwrap
import time
import unittest
from pathlib import Path

from board import ServedBoard
from chromium import report_of

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "Clients"
ARTICLE = ROOT / "Sources/HapticBridge/HapticBridge.docc/UsingABoardFromYourProgram.md"
PROGRAMS, BUILT, PYTHON = (os.path.abspath(word) for word in sys.argv[1:4])
del sys.argv[1:4]
LANGUAGES = ("python", "javascript", "c")


def built(source, *options):
    """Compiles a C program with the client."""
    program = Path(BUILT) / f"example-{Path(source).stem}"
    subprocess.run(["cc", "-std=c11", "-O2", "-I", CLIENTS / "c", source, CLIENTS / "c/haptic_bridge.c", "-lm", "-o",
                    program], check=True)
    return program


def command(language, name):
    if language == "c":
        return [built(CLIENTS / f"c/examples/{name}.c")]
    return {"python": [sys.executable, "-B", CLIENTS / f"python/examples/{name}.py"],
            "javascript": ["node", CLIENTS / f"javascript/examples/{name}.js"]}[language]


def article(language):
    """Returns the code blocks of the article in a given language."""
    return re.findall(rf"```{language}\n(.*?)```", ARTICLE.read_text(), re.DOTALL)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class BoardCase(unittest.TestCase):
    doors = ()

    def setUp(self):
        self.board = ServedBoard(PROGRAMS, *self.doors)
        self.addCleanup(self.board.close)
        self.folder = Path(self.board.home.name, "files")
        self.folder.mkdir()
        (self.folder / "pattern.ahap").write_bytes((ROOT / "Tests/Clients/everything.ahap").read_bytes())
        self.environment = dict(self.board.environment, PYTHONPATH=str(CLIENTS / "python"))

    def run_program(self, words, **options):
        subprocess.run(words, check=True, env=self.environment, cwd=self.folder, timeout=60, **options)

    def started(self, words):
        process = subprocess.Popen(
            words, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stdout.close)
        return process

    def onsets(self):
        levels = self.board.levels()
        before = [0] + [level for _, level in levels]
        return [at / 1e6 for (at, level), last in zip(levels, before) if level and not last]

    def wait_for_level(self, level):
        end = time.monotonic() + 10
        while not self.board.levels() or self.board.levels()[-1][1] != level:
            self.assertLess(time.monotonic(), end, self.board.levels()[-5:])
            time.sleep(0.01)


class ExampleTests(BoardCase):
    def test_a_file_is_played(self):
        for language in LANGUAGES:
            with self.subTest(language):
                before = len(self.board.levels())
                self.run_program([*command(language, "play"), ROOT / "Tests/Clients/everything.ahap"])
                self.assertGreater(len(self.board.wait_for_rest(before + 4)), before + 4)

    def test_a_slider_is_followed(self):
        for language in LANGUAGES:
            with self.subTest(language):
                process = self.started(command(language, "slider"))
                for value in (0.5, 1, 0.25, 0):
                    process.stdin.write(f"{value}\n")
                    process.stdin.flush()
                    self.wait_for_level(round(value * 255))
                process.stdin.close()
                self.assertEqual(process.wait(10), 0)

    def test_a_metronome_is_in_step_with_the_clock(self):
        for language in LANGUAGES:
            with self.subTest(language):
                before = len(self.onsets())
                process = self.started([*command(language, "metronome"), "240"])
                end = time.monotonic() + 15
                while len(self.onsets()) < before + 6 and time.monotonic() < end:
                    time.sleep(0.1)
                process.kill()
                beats = self.onsets()[before:before + 6]
                self.assertEqual(len(beats), 6)
                for beat, next_beat in zip(beats, beats[1:]):
                    self.assertAlmostEqual(next_beat - beat, 0.25, delta=0.003)
                self.board.wait_for_rest()

    def test_a_trial_has_the_time_of_its_onset(self):
        process = self.started([*command("python", "trial"), "3"])
        self.assertEqual(process.stdout.readline(), "trial,condition,onset,response,reaction_time\n")
        conditions, times = set(), []
        for number in range(1, 4):
            before = len(self.onsets())
            while len(self.onsets()) == before:
                time.sleep(0.01)
            process.stdin.write("\n")
            process.stdin.flush()
            trial, condition, onset, response, reaction = process.stdout.readline().split(",")
            self.assertEqual(int(trial), number)
            self.assertAlmostEqual(float(response) - float(onset), float(reaction), delta=1e-5)
            conditions.add(condition)
            times.append((float(onset), self.onsets()[before]))
            # The board may write the trace after the row. The next trial begins with a pause of at least 0.6 s.
            self.board.wait_for_rest()
        self.assertEqual(conditions, {"success", "warning", "error"})
        # The difference between the clock of the table and the clock of the board is constant.
        offsets = [on_bus - onset for onset, on_bus in times]
        self.assertLess(max(offsets) - min(offsets), 0.002)
        self.assertEqual(process.wait(10), 0)


class ArticleTests(BoardCase):
    page_port = free_port()
    doors = ("--tcp", "0", "--buttplug", "0", "--websocket", "0", "--websocket-origin", f"http://127.0.0.1:{page_port}")

    def check_played(self):
        self.assertGreater(len(self.board.wait_for_rest(2)), 2)

    def test_python(self):
        blocking, asynchronous, buttplug = article("python")
        self.run_program([sys.executable, "-B", "-c", blocking])
        self.check_played()
        key = self.board.key
        code = asynchronous.replace("tcp://studio:7600", self.board.address).replace("studio.key", key)
        self.assertIn(key, code)
        self.run_coroutine("import asyncio\nfrom haptic_bridge import AsyncHapticEngine\n", code, sys.executable)
        code = buttplug.replace("ws://127.0.0.1:12345", self.board.served["buttplug"]) + "await asyncio.sleep(0.5)\n"
        before = len(self.board.levels())
        self.run_coroutine("import asyncio\n", code, PYTHON)
        self.assertIn(128, [level for _, level in self.board.wait_for_rest(before + 2)[before:]])

    def run_coroutine(self, head, code, python):
        lines = [line for line in code.splitlines() if not line.startswith(("from ", "import "))]
        imports = [line for line in code.splitlines() if line.startswith(("from ", "import "))]
        body = textwrap.indent("\n".join(lines), "    ")
        text = head + "\n".join(imports) + f"\nasync def main():\n{body}\nasyncio.run(main())\n"
        before = len(self.board.levels())
        self.run_program([python, "-B", "-c", text])
        self.assertGreater(len(self.board.wait_for_rest(before + 1)), before)

    def test_c(self):
        code, = article("c")
        source = self.folder / "article.c"
        source.write_text('#include "haptic_bridge.h"\n#include <stdio.h>\n#include <string.h>\n'
                          f"int main(void) {{\n{code}\nreturn engine.error.code ? 1 : 0;\n}}\n")
        self.run_program([built(source)])
        self.check_played()

    def test_javascript(self):
        code = article("js")[0]
        (self.folder / "node_modules").mkdir()
        (self.folder / "node_modules/haptic-bridge").symlink_to(CLIENTS / "javascript")
        (self.folder / "article.mjs").write_text(code)
        self.run_program(["node", "article.mjs"], stdout=subprocess.DEVNULL)
        self.check_played()

    def test_a_page(self):
        code = article("js")[1] + "await new Promise(done => setTimeout(done, 500))\nawait engine.stop()\n"
        (self.folder / "haptic-bridge").symlink_to(CLIENTS / "javascript")
        (self.folder / "article.mjs").write_text(code + "export { intensity }\n")
        (self.folder / "article.html").write_text(f"""<!doctype html><script type="module">
            localStorage.address = "{self.board.served["websocket"]}"
            const report = body => fetch("report", {{ method: "POST", body: JSON.stringify(body) }})
            import("./article.mjs").then(({{ intensity }}) => report({{ intensity }}), error => report(`${{error}}`))
            </script>""")
        report = report_of("article.html", self.folder, self.page_port, 60)
        self.assertEqual(report, {"intensity": 0.5})
        self.check_played()

    def test_the_blocks_of_the_article_are_all_run(self):
        languages = re.findall(r"```(\w*)\n.*?```", ARTICLE.read_text(), re.DOTALL)
        self.assertEqual(sorted(languages), sorted(["", "", "c", "js", "js", "python", "python", "python"]))


if __name__ == "__main__":
    unittest.main()
