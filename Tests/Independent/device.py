#!/usr/bin/env python3
"""Serves the device of core.py on a pseudo-terminal, with the clock of this computer.

Prints `device PATH`. With --trace FILE, writes a line `TIME VALUE` for each change of the level register. TIME is in
microseconds since boot.
"""

import argparse
import os
import pty
import select
import signal
import sys
import time
import tty

from core import Device
from protocol import P

READ_SIZE = 4096
SPIN_US = 300


class Server:
    def __init__(self, event_memory, trace):
        self.trace = trace
        self.line, self.terminal = pty.openpty()
        tty.setraw(self.terminal)
        os.set_blocking(self.line, False)
        self.booted = time.monotonic_ns()
        self.device = Device(event_memory)

    def now(self):
        return P.CLOCK_AT_BOOT + (time.monotonic_ns() - self.booted) // 1000

    def run(self):
        print(f"device {os.ttyname(self.terminal)}", flush=True)
        while True:
            self.write_line()
            self.write_trace()
            self.wait()
            now = self.now()
            self.catch_up(now)
            data = self.read_line()
            if data:
                self.device.receive(data, now)
            else:
                self.device.advance(now)

    def wait(self):
        """Waits until bytes are received or an action is due. Does not sleep shortly before the action."""
        due = self.device.next_time()
        left_us = None if due is None else due - self.now() - SPIN_US
        select.select([self.line], [], [], None if left_us is None else max(0, left_us) / 1e6)

    def catch_up(self, now):
        """Executes each overdue step with its own due time, because a busy computer may wake this process late."""
        due = self.device.next_time()
        while due is not None and due < now:
            self.device.advance(due)
            due = self.device.next_time()

    def read_line(self):
        try:
            return os.read(self.line, READ_SIZE)
        except BlockingIOError:
            return b""

    def write_line(self):
        """Writes output. Bytes that no program reads are lost, as on a wire."""
        try:
            os.write(self.line, self.device.take_output())
        except BlockingIOError:
            pass

    def write_trace(self):
        if self.trace:
            for now, value in self.device.levels:
                print(now - P.CLOCK_AT_BOOT, value, file=self.trace, flush=True)
        self.device.levels.clear()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--event-memory", type=int, default=512, metavar="BYTES")
    parser.add_argument("--trace", type=argparse.FileType("w"), metavar="FILE")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    Server(arguments.event_memory, arguments.trace).run()


if __name__ == "__main__":
    main()
