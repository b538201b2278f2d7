#!/usr/bin/env python3
"""The sketches of the Arduino library on a simulated Uno, with Debian's core for AVR: uno.py FOLDER

FOLDER has the images Bridge.hex and SlowLoop.hex. Each check starts a board of its own; figures are printed.
"""

import sys
from pathlib import Path

from lock_step import LockStepBoard, LockStepHost

import events  # of Tests/Independent, as what follows
from boards import rendered
from events import Event, encode_events
from host import PATTERN, lra_configuration, ms
from protocol import P
from report import expect, expect_equal

REST_LIMIT_US = 300_000
HELD = encode_events([Event(0, P.OP_LEVEL, (200,)), Event(ms(4000), events.END, ())])
# Jumps every 3 ms: with a loop of 5 ms most of them are late.
DENSE = encode_events([Event(ms(3) * n, P.OP_LEVEL, (100 + n % 2,)) for n in range(60)]
                      + [Event(ms(180), events.END, ())])


def figure(name, value):
    print(f"figure arduino_uno_{name} {value}")


def connect(board):
    host = LockStepHost(board)
    board.run(100_000)
    host.connect()
    return host


def prepare(board):
    host = connect(board)
    host.configure(**lra_configuration())
    return host


def begin(host, data, first=384):
    host.open_stream()
    host.send_events(data[:first])
    host.start()


def first_light(board):
    host = connect(board)
    welcome = host.session.welcome
    expect_equal(welcome.kind, P.BOARD_ARDUINO, "the kind")
    expect_equal(welcome.reset_cause, P.RESET_UNKNOWN, "the reset cause")
    expect_equal(welcome.boot_count, 1, "the count of boots")
    expect_equal(welcome.board_id, 0, "the id")
    expect_equal(welcome.link_window, P.FRAME_MAX, "the link window")
    expect_equal(welcome.features, P.FEATURE_REVISE | P.FEATURE_CALIBRATION | P.FEATURE_STORAGE, "the features")
    expect_equal(board.pins[0][1], 1, "the first level of EN that is not low")
    expect_equal(host.ask("GET_ACTUATOR", actuator=0).state, P.ACTUATOR_UNCONFIGURED, "the state")
    host.configure(**lra_configuration())
    answer = host.ask("GET_ACTUATOR", actuator=0)
    expect_equal((answer.state, answer.chip_id), (P.ACTUATOR_AT_REST, 7), "state and chip")


def play(board):
    host = prepare(board)
    before = len(board.levels)
    host.play(PATTERN, 5)
    status = host.ask("GET_STATUS")
    expect_equal((status.late_events, status.faults), (0, 0), "late events and faults")
    expect(status.latest_us <= P.LATE_US, f"{status.latest_us} us late")
    wanted = rendered(encode_events(PATTERN))
    found = board.levels[before:]
    changes = [level for place, level in enumerate(found) if level[1] != (found[place - 1][1] if place else 0)]
    expect_equal([value for _, value in changes], [value for _, value in wanted], "the levels")
    # The second device is a millisecond late with a tap that is due at the very start.
    found, wanted = changes[2:], wanted[2:]
    worst = max(abs((a[0] - found[0][0]) - (b[0] - wanted[0][0])) for a, b in zip(found, wanted))
    expect(worst <= P.LATE_US, f"a level came {worst} us off its time")
    figure("latest_us", status.latest_us)
    figure("worst_level_us", round(worst))
    figure("stack_bytes", board.stack())


def play_long(board):
    """Many times the event memory, in frames that fill the link window."""
    host = prepare(board)
    pattern = [Event(ms(5) * n, P.OP_LEVEL, (100 + n % 2,)) for n in range(300)]
    pattern.append(Event(ms(1500), events.END, ()))
    host.play(pattern, 5)
    status = host.ask("GET_STATUS")
    expect_equal((status.late_events, status.underruns, status.damaged_frames), (0, 0, 0), "late, dry and damaged")
    figure("latest_dense_us", status.latest_us)


def stop(board):
    host = prepare(board)
    begin(host, HELD)
    host.keep_alive(0.2)
    expect(board.drives[-1][1] != 0, "it does not play")
    host.session.stop(host.now())
    asked = host.now()
    host.wait(lambda: not host.session.urgent, 1, "STOPPED")
    host.wait_at_rest()
    taken = next(time for time, value in board.levels if time > asked and value == 0) - asked
    figure("stop_us", round(taken))
    expect(taken < 20_000, f"STOP took {taken} us")
    expect_equal(board.drives[-1][1], 0, "the drive")


def rest_after_silence(board):
    silent = board.host.fall_silent(0.6)
    expect_equal(board.drives[-1][1], 0, "the drive")
    taken = board.drives[-1][0] - silent
    expect(taken <= REST_LIMIT_US, f"it drove for {taken} us after the last frame")
    return taken


def hold(board):
    host = board.host = prepare(board)
    begin(host, HELD)
    host.keep_alive(0.3)
    expect(board.drives[-1][1] != 0, "it does not play")
    return host


def dead_man(board):
    host = hold(board)
    figure("dead_man_us", rest_after_silence(board))
    status = host.ask("GET_STATUS")
    expect_equal(status.dead_man_trips, 1, "the number of trips")
    expect_equal(board.pins[-1][1], 1, "EN")


def hanging_loop(board):
    """A sketch that never comes back from loop(): the watch sets EN low by Timer0."""
    hold(board)
    board.tell("hang irq-on")
    figure("hanging_loop_us", rest_after_silence(board))
    expect_equal(board.pins[-1][1], 0, "EN")


def slow_dead_man(board):
    host = hold(board)
    figure("slow_dead_man_us", rest_after_silence(board))
    expect_equal(host.ask("GET_STATUS").dead_man_trips, 1, "the number of trips")


def slow_loop_is_told(board):
    host = prepare(board)
    begin(host, DENSE)
    host.fall_silent(0.2)
    told = [message.faults for name, message in host.session.notices if name == "STATUS"]
    expect(any(faults & P.FAULT_LATE for faults in told), "the host was not told")
    status = host.ask("GET_STATUS")
    expect(status.late_events > 0, "late events are not counted")
    expect(status.latest_us > 2_000, f"at most {status.latest_us} us late")
    figure("slow_late_events", status.late_events)
    figure("slow_latest_us", status.latest_us)


def save(board):
    host = prepare(board)
    host.command("SAVE", actuator=0)
    host.keep_alive(P.SAVE_MAX_US / 1_000_000)
    board.tell("power off")
    board.run(10_000)
    board.tell("power on")
    board.run(100_000)
    board.take_received()
    again = LockStepHost(board, session=0x87654321)
    again.connect()
    expect_equal(again.ask("GET_ACTUATOR", actuator=0).state, P.ACTUATOR_AT_REST, "the state")
    answer = vars(again.ask("GET_CONFIGURATION", actuator=0))
    expect_equal(answer["image"], lra_configuration()["image"], "the image")


CHECKS = {
    "Bridge": (first_light, play, play_long, stop, dead_man, hanging_loop, save),
    "SlowLoop": (slow_dead_man, slow_loop_is_told),
}


def main():
    for sketch, checks in CHECKS.items():
        for check in checks:
            board = LockStepBoard(Path(sys.argv[1]) / f"{sketch}.hex")
            try:
                check(board)
            finally:
                board.close()
            print(f"{sketch}: {check.__name__.replace('_', ' ')}")


if __name__ == "__main__":
    main()
