"""Checks of ports that do not open or are slow to close, without a board."""

from browser import wait
from mishaps import BeforeWorker
from pages import BUZZ, has_no_errors, linked, recorded
from report import expect, expect_equal

PORT = b"""
const port = { getInfo: () => ({}), setSignals: async () => {} };
Object.defineProperty(navigator, "serial", { value: { requestPort: async () => port, getPorts: async () => [port] } });
"""
NEVER_OPEN = PORT + b"port.open = () => new Promise(() => {});\n"
# A port that is lost on request. The port is closed half a second later, and may then be opened again.
SLOW_TO_CLOSE = PORT + b"""
let [isOpen, opened, arriving] = [false, 0, null];
port.open = async () => {
  if (isOpen) throw new DOMException("The port is already open.", "InvalidStateError");
  isOpen = true;
  opened += 1;
  if (opened > 1) throw new Error("it was free");
  port.readable = new ReadableStream({ start: (controller) => { arriving = controller; } });
  port.writable = new WritableStream();
};
port.close = () => new Promise((resolve) => setTimeout(() => { isOpen = false; resolve(); }, 500));
addEventListener("message", ({ data }) => {
  if (data !== "lose") return;
  port.readable = null;
  arriving.error(new Error("lost"));
});
"""
OPENS_S = 60


def with_port():
    page = recorded(linked(BUZZ))
    page.driver.execute_script(PORT.decode())
    page.wait_for("title", "Pattern from the link")
    return page


def check_port_that_never_opens():
    """Checks that a connection in progress can be ended, is replaced by a connection to the virtual board, and ends
    automatically."""
    with BeforeWorker(NEVER_OPEN):
        page = with_port()
        page.click("connect")
        page.wait_for("board", "Connecting")
        page.click("disconnect")
        page.wait_for("board", "No board is connected")
        page.click("connect")
        page.wait_for("board", "Connecting")
        page.click("virtual")
        page.wait_for("board", "virtual board")
        expect_equal(page.text("problem"), "", "the problem")
        page.click("disconnect")
        page.wait_for("board", "No board is connected")
        page.click("connect")
        wait(lambda: page.text("problem"), "the end of the connection", OPENS_S)
        expect("it has not opened for 10 s" in page.text("problem"), page.text("problem"))
        page.wait_for("board", "No board is connected")
        has_no_errors(page)


def check_port_that_is_slow_to_close():
    """Checks that a connection waits until the port of the preceding connection is closed."""
    with BeforeWorker(SLOW_TO_CLOSE):
        page = with_port()
        page.click("connect")
        page.wait_for("board", "Connecting")
        page.driver.execute_script("workers[0].postMessage('lose');")
        page.wait_for("problem", "the board was unplugged")
        page.click("connect")
        page.wait_for("problem", "cannot be opened: it was free")
        has_no_errors(page)
