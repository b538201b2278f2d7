"""A metronome in step with the clock of the computer: metronome.py [BEATS-PER-MINUTE]

On several computers whose clocks are synchronized, the beats are felt at the same time.
"""

import sys
import time

from haptic_bridge import HapticEngine, HapticError, HapticPattern

period = 60 / float(sys.argv[1] if len(sys.argv) > 1 else 120)


def play(engine: HapticEngine) -> None:
    strong, weak = (engine.make_player(HapticPattern.named(name)) for name in ("impact-rigid", "impact-light"))
    beat = int(time.time() / period) + 1
    while True:
        # Each beat is requested 0.1 s ahead, so that the board plays it exactly at its time.
        time.sleep(max(0, beat * period - time.time() - 0.1))
        (strong if beat % 4 == 0 else weak).start(engine.current_time + beat * period - time.time())
        beat += 1


try:
    with HapticEngine() as engine:
        play(engine)
except HapticError as error:
    sys.exit(str(error))
except KeyboardInterrupt:
    pass
