"""Checks of the information about a pattern (scales, pointer, losses) and of the size of controls."""

from browser import Keys, wait
from report import expect, expect_equal
from scenes import NO_BOARD, SIMPLE, focused_on_pattern, opened
from tool import Tool, ahap, tap


def check_scales():
    """Checks that the scales have numbers, that text at the pointer describes what a double click would create, and
    that moving the playhead with the keys reports its time and values."""
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        page.wait_for("board", "Felt on")
        wait(lambda: page.pixels("prediction") > 10, "the prediction")
        page.note_texts()
        page.keys("0")
        wait(lambda: "1" in page.texts(), "the numbers of the scales")
        numbers = [text for text in page.texts() if text in ("0", "0.5", "1")]
        expect(numbers.count("0.5") >= 2, f"the scales show only these numbers: {numbers}")
        page.pointer(1.2, 0.6).perform()
        wait(lambda: any("intensity" in text for text in page.texts()), "the value at the pointer")
        text = page.texts()[-1]
        expect(text.startswith("1.200 s, intensity 0.6"), f"the text at the pointer is {text}")
        page.double_click(1.2, 0.6)
        page.wait_for("status", f"Tap at {text}")
        page.pointer(1.2, 0.3, "sharpness").perform()
        wait(lambda: page.texts()[-1].startswith("1.200 s, sharpness 0.3"), "the sharpness at the pointer")
        page.keys(Keys.ESCAPE)
        page.wait_for("status", "at rest; the board has confirmed it")
        page.keys(Keys.HOME, Keys.ARROW_RIGHT)
        page.wait_for("status", "Playhead at 0.010 s: intensity 0.00, sharpness")


def check_losses():
    """Checks that similar losses are listed as one entry with their number, and that each click moves to the next of
    these losses."""
    with Tool(board=NO_BOARD, a=ahap(*[tap(0.2 * at, 0) for at in range(1, 9)])) as tool:
        page = opened(tool)
        loss = wait(lambda: page.all("#losses button"), "the losses")[0]
        expect("8 × " in loss.text and "first at 0.200 s" in loss.text, f"the loss is {loss.text!r}")
        for _ in range(2):
            page.all("#losses button")[0].click()
        focused_on_pattern(page)
        page.keys(Keys.ARROW_RIGHT)
        page.wait_for("status", "Playhead at 0.410 s")


def check_touch():
    """Checks that controls are high enough for a finger on a narrow screen."""
    with Tool(a=SIMPLE) as tool:
        page = opened(tool, width=390, height=844)
        page.click("list")
        wait(lambda: page.all("#losses li"), "the losses")
        low = page.driver.execute_script("""
            return [...document.querySelectorAll("button, select")].filter((element) => element.checkVisibility()
              && element.getBoundingClientRect().height < 44).map(({ id, textContent }) => id || textContent);""")
        expect_equal(low, [], "the controls that are too low")
