// Pacing: synchronizes the ticks of the current segment with the host's clock (SPEC 5, SCALE).

import BridgeLink
import HapticCompiler

extension LiveStream {
    /// The interval between queries for the position of a stream while its scale changes, and
    /// between queries for missing reports, in microseconds.
    static let questionInterval: Microseconds = 80_000

    /// Handles the board's report on the stream. If a REVISE arrived late, its segment also began
    /// late, and the length of the ticks then compensates for the delay.
    mutating func follow(_ status: StreamStatus, _ clock: ClockSync, at now: HostTime) {
        guard var segment, status.generation == feeder.generation,
            Int32(bitPattern: status.reviseTime &- segment.deviceStart) >= 0
        else { return }
        let begun = clock.extend(status.reviseTime, near: now)
        if segment.pacer == nil || begun != segment.begun {
            segment.begun = begun
            lateness = Microseconds(status.reviseTime &- segment.deviceStart)
            segment.recordBeginning(late: lateness)
            segment.pacer = StreamPacer(
                length: Double(StreamTime.tick), start: segment.start, deviceStart: begun,
                scale: scale.value, isScaleSure: scale.isSure)
        }
        segment.pacer?.record(position: status.position)
        self.segment = segment
    }

    /// Sends a SCALE message if one is due.
    mutating func pace(_ session: inout LinkSession, at now: HostTime) {
        guard plays(at: now), session.isWindowClear,
            let change = segment?.pacer?.change(session.clock, at: now)
        else { return }
        feeder.pending.insert(
            session.send(
                .scale(Scale(stream: stream, tick: change.tick, scale: change.scale))))
    }

    /// Returns the host time at which the state of the stream must be queried; nil if no query is
    /// necessary.
    func questionDeadline(at now: HostTime) -> HostTime? {
        guard let pacer = segment?.pacer else { return segment.map { _ in nextQuestionAt } }
        return pacer.isChanging && plays(at: now) ? nextQuestionAt : nil
    }

    /// Returns the host time up to which the board has played. A segment is considered unplayed
    /// until the board has reported its beginning.
    func playedTime(at now: HostTime) -> HostTime {
        guard let segment else { return now }
        return segment.pacer == nil ? min(segment.start, now) : now - lateness
    }

    /// The host time at which the board has finished all output; nil if more events may follow.
    var driveEnd: HostTime? {
        segment.flatMap { $0.hasEnded ? $0.end + lateness : nil }
    }

    /// Returns whether the current segment may still be playing, on the assumption that its delay
    /// is that of the last segment that the board has reported.
    func plays(at now: HostTime) -> Bool {
        segment.map { !$0.hasEnded || $0.end + lateness > now } ?? false
    }
}
