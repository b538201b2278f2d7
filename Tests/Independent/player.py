"""Plays one stream: converts event bytes to levels and their times on a clock (SPEC 5 and 6).

Times are whole microseconds that do not wrap; `_fixed` times have 24 additional bits for the fraction.
"""

import events
from events import EventDecoder
from protocol import P

FRACTION = P.SCALE_FRACTION_BITS
# Events that do not change the level.
SILENT = (P.OP_SHARPNESS_RAMP, events.TAP_GAIN, events.WAIT, events.SKIPPED)

def between(first, last, part, whole):
    """Returns the value of a linear ramp after `part` of `whole`. Rounds halves up."""
    if part >= whole:
        return last
    return (2 * (first * whole + (last - first) * part) + whole) // (2 * whole)


class TickClock:
    """A clock that calculates the times of ticks exactly, and without a jump where the scale changes."""

    def __init__(self, start, scale):
        self.anchor_fixed = start << FRACTION
        self.anchor_tick = 0
        self.scale = scale
        self.change = None

    def due_fixed(self, tick):
        if self.change and tick > self.change[0]:
            change_tick, scale = self.change
            return self.plain_due_fixed(change_tick) + (tick - change_tick) * scale
        return self.plain_due_fixed(tick)

    def plain_due_fixed(self, tick):
        return self.anchor_fixed + (tick - self.anchor_tick) * self.scale

    def passed(self, tick):
        """Applies a change of scale before `tick`. The player calls this method when it has executed an event at
        `tick`."""
        if self.change and tick >= self.change[0]:
            change_tick, scale = self.change
            self.anchor_fixed = self.plain_due_fixed(change_tick)
            self.anchor_tick, self.scale, self.change = change_tick, scale, None


class Segment:
    """The state of a generation of events: the bytes, the decoder and the clock."""

    def __init__(self, generation, level=0, time=None):
        self.generation = generation
        self.level = level
        self.time = time
        self.decoder = EventDecoder()
        self.received = 0
        self.ahead = None

    def feed(self, data):
        self.received += len(data)
        self.decoder.feed(data)

    def unread(self):
        return len(self.decoder.bytes)

    def peek(self):
        if self.ahead is None:
            self.ahead = self.decoder.next()
        return self.ahead

    def take(self):
        event, self.ahead = self.ahead, None
        return event


class Player:
    """A player. `tap_length` returns the duration of a tap, in microseconds, for its sharpness."""

    def __init__(self, capacity, tap_length):
        self.capacity = capacity
        self.tap_length = tap_length
        self.state = P.STREAM_OPEN
        self.segment = Segment(0)
        self.revision = None
        self.clock = None
        self.newest_due_fixed = 0
        self.start_time = 0
        self.revise_time = 0
        self.position = 0
        self.executed = 0
        self.dry_since = None
        self.shown = 0
        self.levels = []
        self.tap = None
        self.clear_ramps(0)
        self.faults = 0
        self.late_events = 0
        self.latest = 0
        self.skipped_taps = 0
        self.underruns = 0

    def clear_ramps(self, level):
        self.ramp = (0, 0, level, level)
        self.next_step = None
        self.gain_ramp = (0, 0, 255, 255)

    # ---- Requests of the host ----

    def newest(self):
        return self.revision or self.segment

    def room(self):
        return self.capacity - self.segment.unread() - (self.revision.unread() if self.revision else 0)

    def room_for_revision(self):
        return self.capacity - self.segment.unread()

    def event_limit(self):
        return self.newest().received + self.room()

    def feed(self, data):
        self.newest().feed(data)

    def start(self, time, scale):
        self.clock = TickClock(time, scale)
        self.newest_due_fixed = time << FRACTION
        self.start_time = time
        self.state = P.STREAM_PLAYING

    def change_scale(self, tick, scale):
        if self.clock:
            self.clock.change = (max(tick, self.position), scale)

    def revise(self, revision):
        self.revision = revision

    # ---- Time ----

    def next_time(self):
        """Returns the time of the next step, or None if there is no next step."""
        times = [due_fixed for due_fixed, _ in self.steps()]
        return min(times) >> FRACTION if times else None

    def steps(self):
        """Yields the possible next steps with their times. If several steps have the same time, the player executes the
        first of them."""
        if self.revision:
            yield self.revision.time << FRACTION, self.begin_revision
        if self.state == P.STREAM_PLAYING:
            yield self.event_step()
        if self.tap:
            yield self.tap[1] << FRACTION, self.end_tap
        if self.state == P.STREAM_PLAYING and self.next_step is not None:
            yield self.next_step, self.step_ramp

    def event_step(self):
        event = self.segment.peek()
        if event:
            return self.clock.due_fixed(event.tick), self.execute_next
        return max(self.ramp[1], self.newest_due_fixed), self.run_dry

    def advance(self, now):
        """Executes all due steps. Returns the levels to write; of several overdue levels, returns only the newest."""
        if self.state == P.STREAM_DRY and self.segment.peek():
            self.state = P.STREAM_PLAYING
            self.carry_out(now)
            return self.levels + self.show(now << FRACTION, now)
        self.carry_out(now)
        return self.levels

    def carry_out(self, now):
        """Executes steps. Each step writes a level unless it returns True. Levels with the same time keep their
        order."""
        self.levels = []
        newest_due = None
        while True:
            due_fixed, action = min(self.steps(), key=lambda step: step[0], default=(None, None))
            if due_fixed is None or due_fixed >> FRACTION > now:
                return
            if action(due_fixed >> FRACTION, now):
                continue
            written = self.show(due_fixed, now)
            if written and due_fixed != newest_due and action != self.run_dry:
                self.levels = []
                newest_due = due_fixed
            self.levels += written

    def show(self, due_fixed, now):
        """Returns a list with the level to write, or an empty list if this level is equal to the current level."""
        level = self.tap[0] if self.tap else 0 if self.state == P.STREAM_DRY else self.ramp_value(due_fixed)
        if level == self.shown:
            return []
        self.shown = level
        self.note_lateness(now - (due_fixed >> FRACTION))
        return [level]

    def note_lateness(self, late):
        self.latest = max(self.latest, late)
        if late > P.LATE_US:
            self.late_events += 1
            self.faults |= P.FAULT_LATE

    def ramp_value(self, time_fixed):
        start, end, first, last = self.ramp
        return between(first, last, time_fixed - start, end - start)

    # ---- Steps ----

    def begin_revision(self, due, now):
        """Discards the old segment. The current tap continues."""
        if self.state == P.STREAM_OPEN:
            scale = P.TICK_US << FRACTION
            self.start_time = 0
        else:
            scale = self.clock.scale
        self.segment, self.revision = self.revision, None
        self.clock = TickClock(due, scale)
        self.newest_due_fixed = due << FRACTION
        self.revise_time = due
        self.position = 0
        self.state = P.STREAM_PLAYING
        self.clear_ramps(self.segment.level)

    def end_tap(self, due, now):
        """Ends the tap. Afterwards, the steps of the ramp below the tap determine the level again."""
        self.tap = None
        self.plan_step(due << FRACTION)

    def plan_step(self, time_fixed):
        end = self.ramp[1]
        self.next_step = min(time_fixed + (P.RAMP_STEP_US << FRACTION), end) if end > time_fixed else None

    def step_ramp(self, due, now):
        self.plan_step(self.next_step)

    def run_dry(self, due, now):
        """Sets the output to 0 until events are received, but keeps the level."""
        self.state = P.STREAM_DRY
        self.dry_since = now
        self.underruns += 1
        self.faults |= P.FAULT_UNDERRUN

    def clear_level(self):
        """Sets the level to 0, but keeps the gain of the tap."""
        self.ramp = (0, 0, 0, 0)
        self.next_step = None

    def execute_next(self, due, now):
        """Executes the next event. Returns True if the output is unchanged. A ramp does not change the output before
        its first step."""
        event = self.segment.take()
        due_fixed = self.clock.due_fixed(event.tick)
        self.newest_due_fixed = due_fixed
        self.clock.passed(event.tick)
        self.position = event.tick
        self.executed += 1
        self.execute(event, due_fixed, now)
        return event.kind in SILENT or event.kind == P.OP_LEVEL_RAMP and event.values[1] > 0

    def execute(self, event, due_fixed, now):
        if event.kind == P.OP_TAP:
            self.begin_tap(event, due_fixed >> FRACTION, now)
        elif event.kind in (P.OP_LEVEL, P.OP_LEVEL_SHARPNESS):
            self.begin_ramp(due_fixed, due_fixed, event.values[0])
        elif event.kind == P.OP_LEVEL_RAMP:
            end = self.clock.due_fixed(event.tick + event.values[1])
            self.begin_ramp(due_fixed, end, event.values[0])
        elif event.kind == events.TAP_GAIN:
            gain, duration = event.values
            self.gain_ramp = (event.tick, event.tick + duration, self.tap_gain(event.tick), gain)
        elif event.kind == events.END:
            self.clear_level()
            self.state = P.STREAM_ENDED
        elif event.kind == events.SKIPPED:
            self.faults |= P.FAULT_EVENT

    def begin_ramp(self, start, end, level):
        self.ramp = (start, end, self.ramp_value(start), level)
        self.plan_step(start)

    def tap_gain(self, tick):
        start, end, first, last = self.gain_ramp
        return between(first, last, tick - start, end - start)

    def begin_tap(self, event, due, now):
        if now - due > P.TAP_LATE_MAX_US:
            self.skipped_taps += 1
            self.faults |= P.FAULT_TAP_SKIPPED
            return
        intensity, sharpness = event.values
        level = (intensity * self.tap_gain(event.tick) + 127) // 255
        self.tap = (level, now + self.tap_length(sharpness))
