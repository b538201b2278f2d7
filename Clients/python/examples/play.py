"""Plays an AHAP file: play.py FILE [PORT]"""

import sys

from haptic_bridge import HapticEngine, HapticError

if len(sys.argv) < 2:
    sys.exit(__doc__)
try:
    with HapticEngine(*sys.argv[2:3]) as engine:
        engine.wait_until_finished(engine.play_pattern(sys.argv[1]))
except HapticError as error:
    sys.exit(str(error))
