// Pacing: keeps the ticks of what plays on the host's clock (SPEC 5, SCALE).

import BridgeLink
import HapticCompiler

extension LiveStream {
    /// The interval at which the position of a stream is asked for while its scale changes, and at
    /// which missing reports are asked for, in microseconds.
    static let questionInterval: Microseconds = 80_000

    /// Handles the board's report on the stream. A REVISE that arrived late also began late; from
    /// then on the ticks make up for it.
    mutating func follow(_ status: StreamStatus, _ clock: ClockSync, at now: HostTime) {
        guard let segment, status.generation == feeder.generation,
            Int32(bitPattern: status.reviseTime &- segment.deviceStart) >= 0
        else { return }
        let begun = clock.extend(status.reviseTime, near: now)
        if pacer == nil || begun != segmentBegun {
            segmentBegun = begun
            lateness = Microseconds(status.reviseTime &- segment.deviceStart)
            pacer = StreamPacer(
                length: Double(StreamTime.tick), start: segment.start, deviceStart: begun,
                scale: scale.value, isScaleSure: scale.isSure)
        }
        pacer?.note(position: status.position)
    }

    /// Sends the SCALE that is due, if there is one.
    mutating func pace(_ session: inout LinkSession, at now: HostTime) {
        guard plays(at: now), session.isWindowClear,
            let change = pacer?.change(session.clock, at: now)
        else { return }
        feeder.pending.insert(
            session.send(
                .scale(Scale(stream: stream, tick: change.tick, scale: change.scale))))
    }

    /// Returns the host time at which the board is to be asked for the state of the stream; nil if
    /// that is not necessary.
    func questionDeadline(at now: HostTime) -> HostTime? {
        guard let pacer else { return segment.map { _ in nextQuestionAt } }
        return pacer.isChanging && plays(at: now) ? nextQuestionAt : nil
    }

    /// Returns the host time up to which the board has played. A segment counts as unplayed until
    /// the board has reported its beginning.
    func playedTime(at now: HostTime) -> HostTime {
        guard let segment else { return now }
        return pacer == nil ? min(segment.start, now) : now - lateness
    }

    /// The host time at which the board has driven everything; nil if more may follow.
    var driveEnd: HostTime? {
        segment.flatMap { $0.hasEnded ? $0.end + lateness : nil }
    }

    /// Returns whether the present segment has not ended, as late as it may have begun.
    func plays(at now: HostTime) -> Bool {
        segment.map { !$0.hasEnded || $0.end + lateness > now } ?? false
    }
}
