"""A slider that can be felt: each line of the standard input has a value from 0 to 1, which sets the level."""

import sys

from haptic_bridge import HapticDynamicParameter, HapticEngine, HapticError, HapticEvent, HapticPattern

# Without a duration, the event plays until it is stopped.
level = HapticPattern([HapticEvent("HapticContinuous", intensity=1, sharpness=0.5)])

try:
    with HapticEngine() as engine:
        player = engine.make_player(level)
        player.send_parameters([HapticDynamicParameter("HapticIntensityControl", 0)])
        player.start()
        for line in sys.stdin:
            player.send_parameters([HapticDynamicParameter("HapticIntensityControl", float(line))])
except ValueError as error:
    sys.exit(f"{error}; a line must contain a value from 0 to 1")
except HapticError as error:
    sys.exit(str(error))
