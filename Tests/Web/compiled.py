"""Checks that the browser compiles files by other authors to the same bytes as the native tool."""

import base64
import subprocess
import tempfile
from pathlib import Path

from boards import BRIDGE
from levels import SHARED
from pages import has_no_errors, opened
from report import Skipped, expect_equal

PROFILES = ["reference", "lra", "erm"]

# Compiles a file for each profile. Returns the compiled files as base64; null if the file is rejected.
COMPILE = """
const [text, count, done] = arguments;
const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
const encoded = (compiled) => {
  let text = "";
  for (const byte of compiled) text += String.fromCharCode(byte);
  return btoa(text);
};
import("./haptic-bridge.js").then(async ({ HapticBridge }) => {
  const bridge = window.compiling ??= new HapticBridge();
  const { error } = await bridge.call("open", bytes);
  const compiled = [];
  for (let profile = 0; profile < count; profile += 1) {
    compiled.push(error ? null : encoded(await bridge.compiledFile(profile)));
  }
  done(compiled);
}).catch((error) => done(String(error)));
"""


def native(file, profile):
    """Returns the bytes from the native tool as base64; None if the tool rejects the file."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "native.hbes"
        ended = subprocess.run(
            [str(BRIDGE), "compile", "-q", "--profile", profile, str(file), "-o", str(output)], capture_output=True)
        return base64.b64encode(output.read_bytes()).decode() if ended.returncode == 0 else None


def check_compiled_bytes():
    files = sorted(SHARED.glob("*.ahap"))
    if not files or not BRIDGE.exists():
        raise Skipped("the shared files or the tool are absent")
    page = opened()
    page.driver.set_script_timeout(30)
    same = 0
    for file in files:
        text = base64.b64encode(file.read_bytes()).decode()
        found = page.driver.execute_async_script(COMPILE, text, len(PROFILES))
        expect_equal(found, [native(file, profile) for profile in PROFILES], f"the bytes of {file.name}")
        same += len(PROFILES)
    print(f"figure web_chromium_compiled_same {same} files")
    has_no_errors(page)
