"""Checks of the studio's files: other editors, conflicts, and new names."""

import shutil

from browser import Keys, Page, wait
from report import expect, expect_equal
from scenes import SIMPLE, opened, saved
from tool import Tool, ahap, tap


def check_disk():
    """Checks that a file that another editor has saved appears on the page."""
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        page.click("list")
        tool.file("a.ahap").write_text(ahap(tap(0.1, 1)))
        wait(lambda: len(page.all("#rows tr")) == 1, "the pattern of the other editor")
        expect_equal(page.text("saved"), "saved", "the displayed state of the file")


def conflict(tool, page):
    page.double_click(1.0, 0.9)
    page.wait_for("saved", "not saved")
    other = ahap(tap(0.1, 1))
    tool.file("a.ahap").write_text(other)
    wait(lambda: page.element("conflict").is_displayed(), "the question")
    expect_equal(page.text("other"), other, "the text on disk")
    page.keys(Keys.ESCAPE)
    expect(page.element("conflict").is_displayed(), "the question disappears without an answer")
    return other


def check_conflict():
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        conflict(tool, page)
        page.click("keep-mine")
        wait(lambda: len(tool.pattern("a.ahap")) == 4, "the page's pattern in the file")
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        other = conflict(tool, page)
        page.click("take-disk")
        page.wait_for("saved", "saved")
        page.wait_for("status", "changed by another program")
        expect_equal(tool.read("a.ahap"), other, "the file")


def check_read_only():
    """Checks that an edit of a pattern that is supplied with the tool creates a file of the user and does not change
    the pattern."""
    with Tool(a=SIMPLE) as tool:
        page = opened(tool, "success")
        page.wait_for("saved", "read-only")
        page.double_click(0.9, 0.9)
        wait(lambda: page.element("name").is_displayed(), "the question for a name")
        page.keys("mine", Keys.ENTER)
        page.wait_for("title", "mine.ahap")
        page.wait_for("status", "Tap at")
        saved(tool, page, "mine.ahap")


def names(tool):
    return sorted(path.name for path in tool.folder.iterdir())


def check_rename():
    """Checks that a file can be renamed to an unused name, and that unsaved changes are kept."""
    with Tool(a=SIMPLE, b=SIMPLE) as tool:
        page = opened(tool)
        page.double_click(1.0, 0.9)
        page.wait_for("saved", "not saved")
        for name in ("b", "c"):
            page.click("rename")
            wait(lambda: page.element("name").is_displayed(), "the question for a name")
            page.control("a")
            page.keys(name, Keys.ENTER)
            page.wait_for(*("note-text", "already exists") if name == "b" else ("title", "c.ahap"))
        expect_equal(names(tool), ["b.ahap", "c.ahap"], "the files")
        expect(not page.element("note").is_displayed(), "a solved problem is still displayed")
        expect_equal(page.text("saved"), "not saved", "the displayed state of the file")
        saved(tool, page, "c.ahap")
        expect_equal(len(tool.pattern("c.ahap")), 4, "the entries of the file")


def check_leaving():
    """Checks that a pattern stays open, and loses no change, if it cannot be saved before another pattern is opened."""
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        page.double_click(1.0, 0.9)
        page.wait_for("saved", "not saved")
        # As on a full disk, the studio cannot write a file; the user could save the changes in another folder.
        shutil.rmtree(tool.folder)
        page.wait_for("status", "deleted or renamed by another program")
        page.all("[data-name='success']")[0].click()
        wait(lambda: page.element("unsaved").is_displayed(), "the question")
        page.click("unsaved-save")
        page.wait_for("note-text", "a.ahap")
        expect_equal((page.text("title"), page.text("saved")), ("a.ahap", "not saved"), "the open pattern")
        page.control("z")
        page.wait_for("status", "Undone: tap at 1.000 s")
        page.control("z", shift=True)
        page.wait_for("status", "Redone: tap at 1.000 s")
        tool.folder.mkdir()
        saved(tool, page)
        expect_equal(len(tool.pattern("a.ahap")), 4, "the entries of the file")
        expect_equal((page.text("title"), page.element("note").is_displayed()), ("a.ahap", False),
                     "the open pattern, and whether the problem is still displayed")


def check_delete():
    """Checks that a file is deleted only after a confirmation, whose default answer keeps the file. Then a new pattern
    can be created."""
    with Tool(a=SIMPLE, b=SIMPLE) as tool:
        page = opened(tool)
        for key, files in ((Keys.ENTER, ["a.ahap", "b.ahap"]), (Keys.TAB, ["b.ahap"])):
            page.click("remove")
            wait(lambda: page.element("delete").is_displayed(), "the question")
            if key == Keys.TAB:
                page.click("delete-done")
                page.wait_for("title", "No pattern is open")
            else:
                page.keys(key)
                expect(not page.element("delete").is_displayed(), "the question stays")
            expect_equal(names(tool), files, "the files")
        expect(page.element("empty").is_displayed(), "the page does not explain how to begin")
        page.double_click(0.2, 0.9)
        page.wait_for("title", "untitled.ahap")
