"""Whatever ends the page, its worker or the connection brings the actuator to rest, by the trace of a simulated Uno."""

import time

from boards import CYCLES_PER_US
from browser import chromium, wait
from pages import BUZZ, linked, recorded
from report import expect
from server import BOARDS, Cable, Handler, now, run_bridge

TIMES = 20
REST_MOST_S = 0.3
# The pattern plays at least this long before it is ended.
PLAYED_S = 0.3


def rest_after(board, cable, end):
    """Ends a playback, and returns the seconds until rest.

    They count from the end, or from the latest byte that the page has sent after that: until then, it has not ended.
    """
    expect(board.levels()[-1][1] != 0, "the actuator is at rest before the end")
    begun = now()
    end()
    wait(lambda: board.levels()[-1][1] == 0, "rest", 3)
    return last_drive(board) - max(begun, cable.written)


def last_drive(board):
    """Returns the time of the latest change of the drive in the trace of a simulated Uno."""
    start = drive = 0
    for kind, *fields in map(str.split, board.trace.read_text().split("\n")[:-1]):
        if kind == "wall":
            start = int(fields[1]) / 1e9
        elif kind == "drive":
            drive = start + int(fields[0]) / (CYCLES_PER_US * 1e6)
    return drive


def played(board):
    """Opens a page with a new cable, and plays."""
    Handler.cable = Cable(board.path)
    page = recorded(linked(BUZZ))
    page.wait_for("title", "Pattern of the link")
    page.click("connect")
    page.wait_for("board", "VG1040003D")
    page.click("play")
    page.wait_for("status", "Playing")
    wait(lambda: board.levels() and board.levels()[-1][1] != 0, "a level")
    time.sleep(PLAYED_S)
    return page


def rests_after(name, end):
    """Ends a playback many times, each in a new tab."""
    driver = chromium()
    first = driver.current_window_handle
    worst = 0
    with BOARDS["Uno"]() as board:
        run_bridge("actuator", "set", "--port", board.path, "VG1040003D")
        for _ in range(TIMES):
            driver.switch_to.new_window("tab")
            page = played(board)
            worst = max(worst, rest_after(board, Handler.cable, lambda: end(page)))
            if len(driver.window_handles) > 1:
                driver.execute_cdp_cmd("Page.setWebLifecycleState", {"state": "active"})
                driver.close()
            driver.switch_to.window(first)
            wait(lambda: Handler.cable.port is None, "the closed port")
    Handler.cable = None
    print(f"figure web_rest_after_{name}_ms {worst * 1000:.0f} ms")
    expect(worst <= REST_MOST_S, f"rest {worst:.3f} s after the end")


def check_closed_tab():
    rests_after("closed_tab", lambda page: page.driver.close())


def check_killed_worker():
    rests_after("killed_worker", lambda page: page.driver.execute_script("workers.at(-1).terminate();"))


def check_suspended_page():
    rests_after("suspended_page", lambda page: page.driver.execute_cdp_cmd(
        "Page.setWebLifecycleState", {"state": "frozen"}))


def check_pulled_cable():
    rests_after("pulled_cable", lambda _: Handler.cable.pull())
