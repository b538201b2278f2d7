// Pacing: the ticks of what plays are kept on the host's clock (SPEC 5, SCALE).

import BridgeLink
import HapticCompiler

extension LiveStream {
    /// How soon to ask again for the place of a stream whose scale changes, and for what was not
    /// told unasked.
    static let questionInterval: Microseconds = 80_000

    /// Takes what the board tells of the stream. A REVISE that came late began late: from then on
    /// the ticks make up for it.
    mutating func follow(_ status: StreamStatus, _ clock: ClockSync, at now: Microseconds) {
        guard let segment, status.generation == generation,
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

    /// Sends the SCALE that is due.
    mutating func pace(_ session: inout LinkSession, at now: Microseconds) {
        guard plays(at: now), session.isWindowClear,
            let change = pacer?.change(session.clock, at: now)
        else { return }
        portions.insert(
            session.send(
                .scale(Scale(stream: stream, tick: change.tick, scale: change.scale))))
    }

    /// When the board is to be asked what it plays.
    func questionDeadline(at now: Microseconds) -> Microseconds? {
        guard let pacer else { return segment.map { _ in nextQuestionAt } }
        return pacer.isChanging && plays(at: now) ? nextQuestionAt : nil
    }

    /// Up to when the board has played, host time: not at all what it has not told the beginning of.
    func playedTime(at now: Microseconds) -> Microseconds {
        guard let segment else { return now }
        return pacer == nil ? min(segment.start, now) : now - lateness
    }

    /// Whether the present segment has not ended.
    private func plays(at now: Microseconds) -> Bool {
        segment.map { !$0.hasEnded || $0.end > now } ?? false
    }
}
