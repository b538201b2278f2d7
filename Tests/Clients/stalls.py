"""Measures the stalls of programs on a busy computer. Tests use these stalls to distinguish a slow program from a busy
computer."""

import os
import threading
import time
from pathlib import Path

# The interval of the measurement, in seconds.
SAMPLE = 0.01


def be_urgent():
    """Raises the priority of this process, if the user has permission."""
    try:
        os.nice(-10)
    except PermissionError:
        pass


def waits(processes):
    """Returns the time, in seconds, for which each thread of the given processes has waited for a processor so far."""
    threads = {}
    for process in processes:
        for path in Path("/proc").glob(f"{process}/task/*/schedstat"):
            try:
                threads[path.parent.name] = int(path.read_text().split()[1]) / 1e9
            except (FileNotFoundError, ProcessLookupError):
                pass  # The thread has ended.
    return threads


class Stalls:
    """Records the time for which the threads of the given processes continuously wait for a processor.

    `record` contains the time of each measurement and the longest wait of a thread at this time.
    """

    def __init__(self, processes):
        self.record = []
        self.processes = processes
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        lengths, before, begin = {}, {}, time.monotonic()
        while True:
            time.sleep(SAMPLE)
            now, after = time.monotonic(), waits(self.processes)
            for thread, wait in after.items():
                waited = wait - before.get(thread, wait)
                # A thread that has run for most of the time is not stalled.
                lengths[thread] = lengths.get(thread, 0) + waited if 2 * waited > now - begin else waited
            self.record.append((now, max(map(lengths.get, after), default=0)))
            before, begin = after, now

    def longest(self, begin, end):
        """Returns the longest stall in a range of time."""
        return max((stall for at, stall in self.record if begin <= at <= end + SAMPLE), default=0)
