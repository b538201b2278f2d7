// RemoteClock: an estimate of the clock of another computer that serves a board.

import BoardEngine
import BridgeLink
import HapticPatterns

/// The offset between the clocks of two computers, estimated from queries and answers.
///
/// The other computer answers between the sending of the query and the arrival of the answer, so
/// half of this interval is the maximum error. The answer with the smallest error among the latest
/// answers is used. The error of an answer grows with its age, because the clocks of two computers
/// drift apart.
struct RemoteClock {
    private struct Sample {
        /// The host time of this computer midway between query and answer.
        var time: HostTime
        /// The offset to be added to `time`, in microseconds.
        var offset: Microseconds
        var error: Microseconds
    }

    private var samples: [Sample] = []

    /// The number of stored answers.
    var count: Int { samples.count }

    /// The maximum number of stored answers, which cover four seconds.
    private static let samplesMax = 64
    /// The maximum drift between two clocks, in parts per million: twice the drift of a poor
    /// crystal.
    private static let drift: Microseconds = 200

    /// Stores an answer.
    ///
    /// - Parameters:
    ///   - sent: the time of the query on this computer's clock.
    ///   - other: the time of the answer on the other computer's clock.
    ///   - received: the time at which the answer arrived, on this computer's clock.
    mutating func record(sent: HostTime, answered other: HostTime, received: HostTime) {
        guard received >= sent else { return }
        let half = (received - sent + 1) / 2
        let middle = sent + half
        samples.append(Sample(time: middle, offset: other - middle, error: half))
        if samples.count > Self.samplesMax { samples.removeFirst() }
    }

    /// Returns the offset to be added to this computer's time, and its maximum error, in
    /// microseconds; nil if there is no answer yet.
    func offset(at now: HostTime) -> (offset: Microseconds, errorBound: Microseconds)? {
        samples.map { sample in
            let age = max(0, now - sample.time)
            return (sample.offset, sample.error + (age * Self.drift + 999_999) / 1_000_000)
        }.min { $0.1 < $1.1 }
    }
}

extension PlayerCommand {
    /// Returns the command with its times converted to another clock. A time of 0 means the current
    /// time on any clock.
    func moved(by offset: Microseconds) -> PlayerCommand {
        func moved(_ time: HostTime) -> HostTime { time == 0 ? 0 : max(0, time + offset) }
        return switch self {
        case .start(let time, let offset): .start(at: moved(time), from: offset)
        case .stop(let time): .stop(at: moved(time))
        case .send(let parameters, let time): .send(parameters, at: moved(time))
        case .schedule(let curve, let time): .schedule(curve, at: moved(time))
        case .pause(let time): .pause(at: moved(time))
        case .resume(let time): .resume(at: moved(time))
        case .add, .abandon, .cancel, .seek, .setMuted, .setRate, .setLoop: self
        }
    }
}
