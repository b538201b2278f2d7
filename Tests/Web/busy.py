"""Measures how busy the computer is, and makes a browser share a processor with other programs."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

from boards import ROOT
from browser import chromium

sys.path.append(str(ROOT / "Tests" / "Clients"))

from stalls import waits  # noqa: E402

# The number of other programs that share the processor with the browser.
OTHERS = 8
# A program that uses the processor. Like the browser, the program raises its own priority if the system allows it.
SPIN = """
import contextlib, os
os.sched_setaffinity(0, {processor})
with contextlib.suppress(PermissionError):
    os.setpriority(os.PRIO_PROCESS, 0, 0)
print(flush=True)
while True:
    pass
"""


def browser_processes():
    """Returns the processes of the browser."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            # The name, in parentheses, may contain spaces.
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    found = [chromium().service.process.pid]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def used_by_others(processes):
    """Returns the processor time, in seconds, that other processes have used since a constant time."""
    user, nice, system, _, _, *interrupts = map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:9])
    all_used = (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")
    for process in processes:
        for path in Path(f"/proc/{process}/task").glob("*/schedstat"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                all_used -= int(path.read_text().split()[0]) / 1e9
    return all_used


class Stopwatch:
    """A measurement of the elapsed time, and of the time for which a thread of the browser has waited for a
    processor."""

    def __init__(self):
        self.processes = browser_processes()
        self.before = waits(self.processes)
        self.others = used_by_others(self.processes)
        self.begun = time.monotonic()

    def is_shared(self):
        """Returns True if other programs have used more than a tenth of a processor."""
        return used_by_others(self.processes) - self.others > self.taken() / 10

    def taken(self):
        return time.monotonic() - self.begun

    def waited(self):
        """Returns the total time, in seconds, for which a thread has waited; the maximum of all threads."""
        after = waits(self.processes)
        return max((wait - self.before.get(thread, 0) for thread, wait in after.items()), default=0)


@contextlib.contextmanager
def shared_processor():
    """Makes the browser share one processor with other programs."""
    processor = {min(os.sched_getaffinity(0))}
    threads = [int(path.name) for process in browser_processes() for path in Path(f"/proc/{process}/task").iterdir()]
    former = {}
    script = SPIN.format(processor=processor)
    others = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) for _ in range(OTHERS)]
    try:
        for other in others:
            other.stdout.readline()
        for thread in threads:
            with contextlib.suppress(ProcessLookupError):
                former[thread] = os.sched_getaffinity(thread)
                os.sched_setaffinity(thread, processor)
        yield
    finally:
        for other in others:
            other.kill()
            other.communicate()
        for thread, processors in former.items():
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(thread, processors)
