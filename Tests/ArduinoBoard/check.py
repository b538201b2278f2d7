#!/usr/bin/env python3
"""Tests sketches of the Arduino library on simulated boards, in virtual time: check.py FOLDER [BOARD...]

FOLDER contains the sketches that `make arduino-boards` compiles: SKETCH.hex contains Debian's core for AVR and runs on
the simulated Uno; SKETCH-CORE.so contains a core with the functions of CORE and runs on sketch-board. Each check starts
a new board. If the arguments name boards, only these boards are tested. The program prints measured values.
"""

import sys

import storage_checks
from bench import BOARDS, HELD, Bench

import events  # from Tests/Independent, like the following modules
from boards import rendered
from events import Event, encode_events
from host import PATTERN, lra_configuration, ms
from protocol import P
from report import expect, expect_equal

# The maximum lateness of the firmware images, which start writes in an interrupt.
IMAGE_LATEST_US = 60
# A pattern with a jump every 3 ms. If each call of loop() lasts 5 ms, most of the jumps are late.
DENSE = encode_events([Event(ms(3) * n, P.OP_LEVEL, (100 + n % 2,)) for n in range(60)]
                      + [Event(ms(180), events.END, ())])


# ---- Checks ----

def first_light(bench):
    host = bench.connect()
    welcome, facts = host.session.welcome, bench.facts
    expect_equal(welcome.kind, P.BOARD_ARDUINO, "the kind")
    expect_equal(welcome.reset_cause, P.RESET_UNKNOWN, "the reset cause")
    expect_equal(welcome.boot_count, 1, "the boot count")
    expect_equal(welcome.board_id, facts.board_id, "the id")
    expect_equal(welcome.link_window, facts.window, "the link window")
    expect_equal((welcome.actuators, welcome.streams), (1, 1), "actuators and streams")
    storage = P.FEATURE_STORAGE if facts.storage else 0
    expect_equal(welcome.features, P.FEATURE_REVISE | P.FEATURE_CALIBRATION | P.FEATURE_BAND | storage, "the features")
    expect_equal(bench.board.pins[0][1], 1, "the first level to which EN is driven")
    expect_equal(host.ask("GET_ACTUATOR", actuator=0).state, P.ACTUATOR_UNCONFIGURED, "the state")
    host.configure(**lra_configuration())
    answer = host.ask("GET_ACTUATOR", actuator=0)
    expect_equal((answer.state, answer.chip_id), (P.ACTUATOR_AT_REST, 7), "state and chip")


def play(bench):
    host = bench.prepare()
    before = len(bench.board.levels)
    host.play(PATTERN, 5)
    status = host.ask("GET_STATUS")
    expect_equal((status.late_events, status.faults), (0, 0), "late events and faults")
    expect(status.latest_us <= P.LATE_US, f"{status.latest_us} us late")
    wanted = rendered(encode_events(PATTERN))
    found = bench.board.levels[before:]
    changes = [level for place, level in enumerate(found) if level[1] != (found[place - 1][1] if place else 0)]
    expect_equal([value for _, value in changes], [value for _, value in wanted], "the levels")
    # The device in Python plays a tap one millisecond late if the tap is due immediately.
    found, wanted = changes[2:], wanted[2:]
    worst = max(abs((a[0] - found[0][0]) - (b[0] - wanted[0][0])) for a, b in zip(found, wanted))
    expect(worst <= P.LATE_US, f"a level was {worst} us early or late")
    bench.figure("latest_us", status.latest_us)
    bench.figure("worst_level_us", round(worst))
    if bench.facts.simulator == "avr-board":
        bench.figure("stack_bytes", bench.board.stack())


def play_long(bench):
    """Sends a pattern that is many times as large as the event memory, in frames that fill the link window."""
    host = bench.prepare()
    pattern = [Event(ms(5) * n, P.OP_LEVEL, (100 + n % 2,)) for n in range(300)]
    pattern.append(Event(ms(1500), events.END, ()))
    host.play(pattern, 5)
    status = host.ask("GET_STATUS")
    expect_equal((status.late_events, status.underruns, status.damaged_frames), (0, 0, 0),
                 "late events, underruns and damaged frames")
    bench.figure("latest_dense_us", status.latest_us)


def stop(bench):
    host = bench.hold()
    asked = host.now()
    host.stop()
    host.wait_at_rest()
    taken = next(time for time, value in bench.board.levels if time > asked and value == 0) - asked
    bench.figure("stop_us", round(taken))
    expect(taken < 20_000, f"STOP took {taken} us")
    bench.expect_driving(False)


def dead_man(bench):
    host = bench.hold()
    bench.expect_rest_after_silence("dead_man_us")
    expect_equal(host.ask("GET_STATUS").dead_man_trips, 1, "the number of trips")
    expect_equal(bench.board.pins[-1][1], 1, "EN")


def hanging_loop(bench):
    """Checks that the watch sets EN low if loop() never ends, on boards that have a timer for the watch."""
    if not bench.facts.watch:
        return
    bench.hold()
    bench.board.tell("hang irq-on")
    bench.expect_rest_after_silence("hanging_loop_us")
    expect_equal(bench.board.pins[-1][1], 0, "EN")


def hanging_loop_during_a_stop(bench):
    """Checks a loop() that hangs while the bus prevents STOP from writing level 0. The chip still drives, so the watch
    sets EN low."""
    for delay_us in 1_000, 2_000, 4_000, 8_000, 16_000, 32_000:
        again = Bench(bench.name)
        try:
            host = again.hold()
            again.board.tell("bus stuck on")
            host.session.stop(host.now())
            again.board.send(host.session.take_output())
            again.board.run(delay_us)
            again.board.tell("hang irq-on")
            again.board.run(600_000)
            again.expect_driving(False)
        finally:
            again.close()


def slow_loop(bench):
    host = bench.hold()
    bench.expect_rest_after_silence("slow_dead_man_us")
    expect_equal(host.ask("GET_STATUS").dead_man_trips, 1, "the number of trips")


def slow_loop_is_told(bench):
    host = bench.prepare()
    bench.begin(DENSE)
    host.fall_silent(0.2)
    told = [message.faults for name, message in host.session.notices if name == "STATUS"]
    expect(any(faults & P.FAULT_LATE for faults in told), "the fault was not reported to the host")
    status = host.ask("GET_STATUS")
    expect(status.late_events > 0, "the board has not counted late events")
    # If one call of update() does not start a write within its millisecond, the next call does. The write is then up to
    # two loops late.
    expect(2_000 < status.latest_us < 12_000, f"the maximum lateness is {status.latest_us} us")
    bench.figure("slow_late_events", status.late_events)
    bench.figure("slow_latest_us", status.latest_us)


def led(bench):
    """Checks that the LED is brighter at higher levels and dark while the actuator is at rest."""
    host = bench.prepare()
    expect_equal(bench.board.lit_us(), 0, "the time for which the LED is lit before a pattern plays")
    bench.begin(HELD)
    host.keep_alive(0.3)
    before = bench.board.lit_us(), bench.board.now
    host.keep_alive(0.5)
    part = (bench.board.lit_us() - before[0]) / (bench.board.now - before[1])
    expect(abs(part - 200 / 255) < 0.02, f"the LED is lit for {part:.3f} of the time")
    host.stop()
    host.keep_alive(0.1)
    before = bench.board.lit_us()
    host.keep_alive(0.5)
    expect_equal(bench.board.lit_us() - before, 0, "the time for which the LED is lit at rest")


def led_of_a_hanging_loop(bench):
    """Checks that a watch that sets EN low also switches the LED off."""
    if not bench.facts.watch:
        return
    bench.hold()
    bench.board.tell("hang irq-on")
    bench.host.fall_silent(0.6)
    before = bench.board.lit_us()
    bench.host.fall_silent(0.5)
    expect_equal(bench.board.lit_us() - before, 0, "the time for which the LED is lit after EN is low")


def short_loop(bench):
    """Checks that a loop() of 0.4 ms causes no lateness, because update() waits for a write that is due soon."""
    host = bench.prepare()
    bench.board.tell("loop 400")
    host.play(PATTERN, 5)
    status = host.ask("GET_STATUS")
    expect_equal(status.late_events, 0, "late events")
    expect(status.latest_us <= IMAGE_LATEST_US, f"{status.latest_us} us late")
    bench.figure("short_loop_latest_us", status.latest_us)


def late_loop(bench):
    """Checks that, if a call of loop() lasts half a second while a pattern plays, the board restarts as after a reset
    by a watchdog."""
    bench.hold()
    bench.board.tell("loop 500000")
    bench.board.run(1000)
    bench.board.tell("loop 0")
    bench.board.run(600_000)
    bench.expect_driving(False)
    welcome = bench.connect(session=0x87654321).session.welcome
    expect_equal((welcome.reset_cause, welcome.boot_count), (P.RESET_WATCHDOG, 2), "the reset cause and the boot count")


def stall_counts_as_heat(bench):
    """Checks that the board counts the heat that an actuator gains while loop() hangs, and keeps EN low until the
    actuator has cooled."""
    if not bench.facts.storage:
        return
    bench.connect().configure(**{**lra_configuration(), "sustained": 64, "budget": 200})
    bench.host.command("SAVE", actuator=0)
    bench.host.keep_alive(P.SAVE_MAX_US / 1_000_000)
    bench.begin(HELD)
    bench.host.keep_alive(0.3)
    bench.expect_driving(True)
    bench.board.tell("loop 500000")
    bench.board.run(1000)
    bench.board.tell("loop 0")
    bench.board.run(1_000_000)
    bench.expect_driving(False)
    host = bench.connect(session=0x87654321)
    expect_equal(host.ask("GET_ACTUATOR", actuator=0).state, P.ACTUATOR_STARTING, "the state")
    expect_equal(bench.board.pins[-1][1], 0, "EN")
    host.keep_alive(6)
    expect_equal(host.ask("GET_ACTUATOR", actuator=0).state, P.ACTUATOR_AT_REST, "the state after cooling")


def broken_bus(bench):
    """Checks that the board sets EN low and ends the playback if the bus is held low, and that the bus works again in a
    new session."""
    host = bench.hold()
    bench.board.tell("bus stuck on")
    host.keep_alive(0.2)
    expect_equal(bench.board.pins[-1][1], 0, "EN")
    status = host.ask("GET_STATUS")
    expect(status.faults & P.FAULT_BUS, "the fault is not latched")
    bench.board.tell("bus stuck off")
    bench.connect(session=0x87654321).wait_at_rest()


def held_sda(bench):
    """Checks that the board frees SDA: a chip that holds SDA releases it after nine clock pulses."""
    host = bench.hold()
    bench.board.tell("chip hold 8")
    host.keep_alive(0.1)
    host.stop()
    host.wait_at_rest()
    bench.expect_driving(False)


def heat_is_kept_over_a_reset(bench):
    """Checks that the heat of an actuator survives a reset, but not a loss of power."""
    first = time_at_full_level(bench, bench.connect())
    bench.board.tell("reset")
    again = time_at_full_level(bench, bench.connect(session=0x1234))
    cold = time_at_full_level(bench, bench.restart())
    expect(again < first / 10, f"the level lasted {again} us after a reset, {first} us before")
    expect(abs(cold - first) < 1_000, f"the level lasted {cold} us after a loss of power, {first} us before")


def time_at_full_level(bench, host):
    """Returns the time for which a level is played until the budget limits the level."""
    host.configure(**{**lra_configuration(), "sustained": 100, "budget": 1000})
    before = len(bench.board.levels)
    bench.begin(HELD)
    host.keep_alive(2.5)
    host.stop()
    host.wait_at_rest()
    times = {value: time for time, value in reversed(bench.board.levels[before:])}
    return times[100] - times[200]


def prepare_three(bench):
    host = bench.connect()
    for actuator in range(3):
        host.command("CONFIGURE", actuator=actuator, **lra_configuration())
        host.keep_alive(0.1)
        expect_equal(host.ask("GET_ACTUATOR", actuator=actuator).state, P.ACTUATOR_AT_REST, "the state")
    return host


def misled_multiplexer(bench):
    """Checks that all chips can be stopped after a byte to the multiplexer is damaged but acknowledged.

    A damaged byte can select chip 1 instead of chip 0, or both chips, which are then woken. A normal stop is not sent
    to chip 1, because the board assumes that chip 1 is at rest.
    """
    host = prepare_three(bench)
    for bits in (2, 3):
        for delay_us in range(0, 40_000, 2_500):
            for actuator in (0, 2):
                host.command("OPEN", stream=actuator, actuators=1 << actuator, memory=64)
                host.send_events(HELD, stream=actuator)
                host.start(stream=actuator)
                if actuator == 0:
                    bench.board.run(delay_us)
                    bench.board.tell(f"bus misled {bits}")
                host.keep_alive(0.1)
            host.stop()
            host.keep_alive(0.15)
            drives = set(bench.board.driven.values())
            expect_equal(drives, {0}, f"the drives of the chips, with a byte damaged after {delay_us} us")


def three_actuators(bench):
    host = prepare_three(bench)
    welcome = host.session.welcome
    expect_equal((welcome.actuators, welcome.streams), (3, 3), "actuators and streams")
    host.command("OPEN", stream=0, actuators=7, memory=0)
    host.send_events(HELD)
    host.start()
    host.keep_alive(0.2)
    bench.board.drives.clear()
    host.fall_silent(0.6)
    expect_equal(len(bench.board.drives), 3, "the number of stopped chips")
    expect_equal({drive for _, drive in bench.board.drives}, {0}, "their drives")
    expect_equal(host.ask("GET_STATUS").late_events, 0, "late events")


COMMON = (first_light, play, play_long, stop, dead_man, hanging_loop, led, led_of_a_hanging_loop,
          storage_checks.save)
EEPROM = (storage_checks.power_fails_during_a_save, storage_checks.what_is_stored_is_not_written_again)
CHECKS = [(name, "Bridge", (), COMMON) for name in BOARDS]
CHECKS += [(name, "SlowLoop", (), (slow_loop, slow_loop_is_told)) for name in BOARDS]
CHECKS += [(name, "Bridge", (), (short_loop, late_loop, stall_counts_as_heat, broken_bus, held_sda))
           for name in BOARDS if name != "Uno"]
CHECKS += [("Uno", "Bridge", (), (broken_bus, held_sda))]
CHECKS += [(name, "Bridge", (), (hanging_loop_during_a_stop,)) for name in ("Uno", "ESP32")]
CHECKS += [(name, "Bridge", (), EEPROM) for name in ("Uno", "UNO R4")]
CHECKS += [(name, "Bridge", (), (heat_is_kept_over_a_reset,)) for name in ("Uno", "ESP32")]
CHECKS += [(name, "Jumper", (), (storage_checks.lock_and_jumper, play)) for name in ("Uno", "ESP32", "UNO R4")]
CHECKS += [(name, "Jumper", (), (storage_checks.cells_of_a_lock_are_damaged,)) for name in ("Uno", "UNO R4")]
CHECKS += [("Uno", "Jumper", (), (storage_checks.a_cell_of_a_lock_is_worn,))]
CHECKS += [("ESP32", "Jumper", (), (storage_checks.records_of_a_lock_are_damaged,))]
CHECKS += [(name, "Several", ("--actuators", "3"), (three_actuators, misled_multiplexer)) for name in ("ESP32", "nRF52")]


def main():
    chosen = sys.argv[2:] or list(BOARDS)
    expect(set(chosen) <= set(BOARDS), f"unknown board; the boards are {', '.join(BOARDS)}")
    for name, sketch, options, checks in CHECKS:
        if name not in chosen:
            continue
        for check in checks:
            bench = Bench(name, sketch, *options)
            try:
                check(bench)
            except Exception:
                print(f"FAILED {name}: {check.__name__.replace('_', ' ')}", flush=True)
                raise
            finally:
                bench.close()
            print(f"{name}: {check.__name__.replace('_', ' ')}", flush=True)


if __name__ == "__main__":
    main()
