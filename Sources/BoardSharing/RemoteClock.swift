// RemoteClock: the clock of the computer that serves a board, as another computer estimates it.

import BoardEngine
import BridgeLink
import HapticPatterns

/// The difference between the clocks of two computers, from questions and their answers.
///
/// An answer was given between the question and its arrival, so that half of the time between both
/// is the greatest possible error. Of the latest answers, the one with the least error counts; the
/// error grows with its age, as far as the clocks of two computers can drift apart.
struct RemoteClock {
    private struct Sample {
        /// The host time of this computer in the middle between question and answer.
        var time: HostTime
        /// The time that has to be added to it, in microseconds.
        var offset: Microseconds
        var error: Microseconds
    }

    private var samples: [Sample] = []

    /// The number of answers that are known.
    var count: Int { samples.count }

    /// The number of answers that are kept: four seconds.
    private static let samplesMax = 64
    /// The drift between two clocks, as parts of a million: twice that of a poor crystal.
    private static let drift: Microseconds = 200

    /// Notes an answer.
    ///
    /// - Parameters:
    ///   - sent: the time of the question on this computer's clock.
    ///   - other: the time at which it was answered, on the clock of the other one.
    ///   - received: the time at which the answer arrived, on this computer's clock.
    mutating func note(sent: HostTime, answered other: HostTime, received: HostTime) {
        guard received >= sent else { return }
        let half = (received - sent + 1) / 2
        let middle = sent + half
        samples.append(Sample(time: middle, offset: other - middle, error: half))
        if samples.count > Self.samplesMax { samples.removeFirst() }
    }

    /// Returns what has to be added to this computer's time, and its greatest possible error, in
    /// microseconds; nil before the first answer.
    func offset(at now: HostTime) -> (offset: Microseconds, errorBound: Microseconds)? {
        samples.map { sample in
            let age = max(0, now - sample.time)
            return (sample.offset, sample.error + (age * Self.drift + 999_999) / 1_000_000)
        }.min { $0.1 < $1.1 }
    }
}

extension PlayerCommand {
    /// Returns the command with its times on another clock. A time of 0 stands for now on any.
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
