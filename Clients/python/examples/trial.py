"""Trials of an experiment, as a table with time stamps: trial.py [TRIALS] > results.csv

The participant presses Enter after each stimulus. A response before the stimulus has a negative reaction time. In
PsychoPy, read the keys and draw the fixation cross with the functions of PsychoPy, and use `engine.current_time` as the
clock of the experiment.
"""

import random
import sys

from haptic_bridge import HapticEngine, HapticError, HapticPattern

# The time from the request to the onset, in seconds. A stimulus that is requested in advance has an exact onset.
LEAD = 0.1
conditions = ["success", "warning", "error"] * (int(sys.argv[1] if len(sys.argv) > 1 else 9) // 3)
random.shuffle(conditions)

try:
    with HapticEngine(program="trial.py") as engine:
        # Players are made before the trials, so that no trial waits for a pattern to be transferred.
        players = {name: engine.make_player(HapticPattern.named(name)) for name in set(conditions)}
        print("trial,condition,onset,response,reaction_time")
        for trial, condition in enumerate(conditions, 1):
            input(f"trial {trial} of {len(conditions)}: press Enter to begin") if sys.stdin.isatty() else None
            onset = engine.current_time + random.uniform(0.5, 1.5) + LEAD
            players[condition].start(onset)
            sys.stdin.readline()
            response = engine.current_time
            engine.wait_until_finished(players[condition], 5)
            print(f"{trial},{condition},{onset:.6f},{response:.6f},{response - onset:.6f}", flush=True)
except HapticError as error:
    sys.exit(f"the experiment has ended: {error}")
