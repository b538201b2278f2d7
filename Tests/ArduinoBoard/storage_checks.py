"""Checks of the records that a sketch stores: the configuration and the lock of an actuator."""

from bench import Bench

from host import Rejected, lra_configuration  # from Tests/Independent, like the following modules
from protocol import P
from report import expect, expect_equal


def save(bench):
    host = bench.prepare()
    if not bench.facts.storage:
        expect_rejected(host, "SAVE", P.REJECT_UNSUPPORTED)
        return
    host.command("SAVE", actuator=0)
    host.keep_alive(P.SAVE_MAX_US / 1_000_000)
    again = bench.restart()
    expect_equal(again.ask("GET_ACTUATOR", actuator=0).state, P.ACTUATOR_AT_REST, "the state")
    answer = vars(again.ask("GET_CONFIGURATION", actuator=0))
    expect_equal(answer["image"], lra_configuration()["image"], "the image")


def expect_rejected(host, message, code):
    try:
        host.command(message, actuator=0)
    except Rejected as rejected:
        expect_equal(rejected.args[0].code, code, f"REJECT of {message}")
    else:
        expect(False, f"{message} is accepted")


def power_fails_during_a_save(bench):
    """Checks that, after a loss of power at any time during a save, either the old record or the new record is
    present."""
    outcomes = set()
    for delay_us in range(0, 260_000, 13_000):
        again = Bench(bench.name)
        try:
            outcomes.add(name_after_failure(again, delay_us))
        finally:
            again.close()
    expect_equal(outcomes, {b"first", b"second"}, "the stored names")


def name_after_failure(bench, delay_us):
    host = bench.connect()
    for name in (b"first", b"second"):
        host.configure(**{**lra_configuration(), "name": name.ljust(P.NAME_SIZE, b"\0")})
        host.command("SAVE", actuator=0)
        host.keep_alive(delay_us / 1_000_000 if name == b"second" else P.SAVE_MAX_US / 1_000_000)
    answer = bench.restart().ask("GET_CONFIGURATION", actuator=0)
    return answer.name.rstrip(b"\0")


def what_is_stored_is_not_written_again(bench):
    host = bench.prepare()
    for _ in range(2):
        before = len(bench.board.cells)
        host.command("SAVE", actuator=0)
        host.keep_alive(P.SAVE_MAX_US / 1_000_000)
    expect_equal(len(bench.board.cells) - before, 0, "the number of cells written by a second save")


def lock(bench):
    """Locks a saved configuration. Returns the EEPROM cells that contain the two copies of the lock."""
    host = bench.prepare()
    host.command("SAVE", actuator=0)
    host.keep_alive(P.SAVE_MAX_US / 1_000_000)
    bench.board.cells.clear()
    host.command("LOCK", actuator=0)
    host.keep_alive(P.SAVE_MAX_US / 1_000_000)
    cells = sorted(set(bench.board.cells))
    return cells[:len(cells) // 2], cells[len(cells) // 2:]


def expect_lock(bench, state):
    """Restarts the board. Checks the state of its lock: "open", "holds", or "damaged"."""
    host = bench.restart()
    status, answer = host.ask("GET_STATUS"), host.ask("GET_ACTUATOR", actuator=0)
    expect_equal(answer.locked, int(state != "open"), "the lock")
    expect_equal(bool(status.faults & P.FAULT_STORAGE), state == "damaged", "the storage fault")
    expect_equal(answer.state, P.ACTUATOR_UNCONFIGURED if state == "damaged" else P.ACTUATOR_AT_REST, "the state")
    if state == "damaged":
        try:
            host.configure(**lra_configuration())
        except Rejected as rejected:
            reject = rejected.args[0]
        expect_equal((reject.code, reject.offset, reject.limit), (P.REJECT_RANGE, 1, 127), "the reject")
    host.keep_alive(P.SAVE_MAX_US / 1_000_000)


def undo_lock(bench):
    """Checks that the jumper permanently removes a lock in any state, even if the board starts with the jumper several
    times."""
    bench.board.tell("jumper on")
    for _ in range(3):
        host = bench.restart()
        expect_equal(host.ask("GET_ACTUATOR", actuator=0).locked, 0, "the lock")
        host.configure(**lra_configuration())
        host.command("SAVE", actuator=0)
        host.keep_alive(P.SAVE_MAX_US / 1_000_000)
    bench.board.tell("jumper off")
    expect_lock(bench, "open")


def lock_and_jumper(bench):
    lock(bench)
    expect_lock(bench, "holds")
    undo_lock(bench)


def cells_of_a_lock_are_damaged(bench):
    """Checks that the board restores a lost copy of a lock, and that it reports a damaged lock if both copies are
    lost."""
    first, second = lock(bench)
    expect_equal(len(first), len(second), "the number of cells of each copy")
    for place in range(0, len(first), 4):
        for copy in first, second:
            bench.board.tell(f"eeprom damage {copy[place]} {1 << place % 8}")
            expect_lock(bench, "holds")
    for copy in first, second:
        bench.board.tell(f"eeprom damage {copy[1]} 2")
    expect_lock(bench, "damaged")
    expect_lock(bench, "damaged")
    undo_lock(bench)


def a_cell_of_a_lock_is_worn(bench):
    """Checks that the board reports a worn cell in one copy of a lock, uses the other copy, and stops trying to write
    the cell."""
    for copy in lock(bench):
        again = Bench(bench.name, "Jumper")
        try:
            again.board.tell(f"eeprom worn {copy[1]}")
            lock(again)
            expect(again.host.ask("GET_STATUS").faults & P.FAULT_STORAGE, "the storage fault is not reported")
            again.board.cells.clear()
            again.host.keep_alive(1)
            expect_equal(again.board.cells, [], "the cells written after the lock")
            expect_equal(again.restart().ask("GET_ACTUATOR", actuator=0).locked, 1, "the lock")
        finally:
            again.close()


def records_of_a_lock_are_damaged(bench):
    lock(bench)
    for keys in ("l0",), ("m0",), ("l0", "m0"):
        for key in keys:
            bench.board.tell(f"record damage {key}")
        expect_lock(bench, "holds" if len(keys) == 1 else "damaged")
    undo_lock(bench)
