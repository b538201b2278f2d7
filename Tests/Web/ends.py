"""Checks that the actuator comes to rest if the page, its worker or the connection ends for any reason. The time is
that of a simulated Uno."""

from browser import chromium, wait
from pages import BUZZ, linked, recorded, set_up
from report import expect
from server import Handler, plugged
from simulated import ACTUATOR, Cable, simulated_board

TIMES = 20
REST_MOST_US = 300_000
# The minimum time for which the pattern plays before its end.
PLAYED_US = 300_000
END_S = 30


def is_driven(board):
    return bool(board.drives) and board.drives[-1][1] != 0


def rest_after(cable, end):
    """Ends a playback. Returns the number of microseconds until rest.

    The time begins at the end, or at the last byte that the page sends afterwards, because the page has not ended
    before this byte.
    """
    board = cable.board
    expect(is_driven(board), "the actuator is at rest before the end")
    begun = board.now
    end()
    wait(lambda: not is_driven(board) or cable.is_quiet(), "the end of the page", END_S)
    cable.pull()
    board.run(2 * REST_MOST_US)
    expect(not is_driven(board), "the actuator is not at rest")
    return board.drives[-1][0] - max(begun, cable.written)


def played(cable):
    """Opens a page with a cable, and plays a pattern."""
    page = recorded(linked(BUZZ))
    page.wait_for("title", "Pattern from the link")
    page.click("connect")
    page.wait_for("board", ACTUATOR)
    page.click("play")
    page.wait_for("status", "Playing")
    board = cable.board
    wait(lambda: is_driven(board) and board.now > board.drives[-1][0] + PLAYED_US, "a level")
    return page


def set_up_once(board):
    """Configures the actuator of a board, which stores the configuration."""
    with plugged(Cable(board)):
        page = recorded()
        page.click("connect")
        set_up(page)
        page.click("disconnect")
        page.wait_for("board", "No board is connected")


def rests_after(name, end):
    """Ends a playback many times, each time in a new tab."""
    driver = chromium()
    first = driver.current_window_handle
    worst = 0
    with simulated_board("Uno") as board:
        set_up_once(board)
        for _ in range(TIMES):
            driver.switch_to.new_window("tab")
            with plugged(Cable(board)) as cable:
                page = played(cable)
                worst = max(worst, rest_after(cable, lambda: end(page)))
            if len(driver.window_handles) > 1:
                driver.execute_cdp_cmd("Page.setWebLifecycleState", {"state": "active"})
                driver.close()
            driver.switch_to.window(first)
            board.tell("dtr off")
    print(f"figure web_rest_after_{name}_ms {worst / 1000:.1f} ms")
    expect(worst <= REST_MOST_US, f"rest {worst} µs after the end")


def check_closed_tab():
    rests_after("closed_tab", lambda page: page.driver.close())


def check_killed_worker():
    rests_after("killed_worker", lambda page: page.driver.execute_script("workers.at(-1).terminate();"))


def check_suspended_page():
    rests_after("suspended_page", lambda page: page.driver.execute_cdp_cmd(
        "Page.setWebLifecycleState", {"state": "frozen"}))


def check_pulled_cable():
    rests_after("pulled_cable", lambda _: Handler.cable.pull())
