// The commands of an app to its players, as they are passed to the stream.

import BridgeLink
import HapticPatterns

/// A command of an app to a player. Times are host times; a past time means the current time.
package enum PlayerCommand: Sendable {
    case add(PlayerVoice)
    /// Releases the player, which then accepts no more commands. A player that has an end plays to
    /// that end.
    case abandon
    /// Plays the pattern from an offset.
    case start(at: HostTime, from: Microseconds = 0)
    case stop(at: HostTime)
    case send([HapticDynamicParameter], at: HostTime)
    case schedule(HapticParameterCurve, at: HostTime)
    case cancel
    case pause(at: HostTime)
    case resume(at: HostTime)
    case seek(offset: Microseconds)
    case setMuted(Bool)
    case setRate(Double)
    case setLoop(Bool, end: Microseconds)

    /// Returns a command that has the combined effect of this command and the next; nil if no
    /// single command has this effect.
    package func merged(with next: PlayerCommand) -> PlayerCommand? {
        switch (self, next) {
        case (.setMuted, .setMuted), (.setRate, .setRate), (.setLoop, .setLoop), (.seek, .seek):
            return next
        case (.send(let earlier, let time), .send(let later, let other)) where time == other:
            return .send(earlier.replaced(by: later), at: time)
        default: return nil
        }
    }
}

extension PlayerCommand {
    /// True if the command only releases the player.
    var isAbandon: Bool { if case .abandon = self { true } else { false } }

    /// The number of parameters, control points, starts and stops that the command adds to the
    /// queues of its player.
    var waitingSize: Int {
        switch self {
        case .start, .stop: 1
        case .send(let parameters, _): parameters.count
        case .schedule(let curve, _): curve.points.count
        default: 0
        }
    }

    /// Returns the number of entries that a voice processes for the command.
    package func work(on voice: PlayerVoice?) -> Int {
        switch self {
        case .add, .abandon, .setMuted, .stop: 1
        case .send(let parameters, _): 1 + (voice?.size(with: parameters) ?? 0)
        case .schedule(let curve, _):
            1 + curve.points.count
                + (voice?.size(with: [.init(curve.id, time: 0, value: 0)]) ?? 0)
        default: 1 + (voice?.size() ?? 0)
        }
    }

    /// True if all times and values of the command are values that an app can request. A command
    /// from another program may contain other values. The pattern of a voice is checked before the
    /// voice is created.
    package var isPossible: Bool {
        switch self {
        case .add, .abandon, .cancel, .setMuted: true
        case .start(let time, let offset): time.isPossible && offset.isPossible
        case .stop(let time), .pause(let time), .resume(let time):
            time.isPossible
        case .send(let parameters, let time):
            time.isPossible && parameters.allSatisfy(\.isPossible)
        case .schedule(let curve, let time): time.isPossible && curve.isPossible
        case .seek(let offset): offset.isPossible
        case .setRate(let rate): PlayerClock.rates.contains(rate)
        case .setLoop(_, let end): end.isPossible
        }
    }
}

extension HostTime {
    fileprivate var isPossible: Bool { microseconds.isPossible }
}

extension Microseconds {
    /// True if the time is not negative and is in the range of times that the engine accepts.
    fileprivate var isPossible: Bool { 0..<1_000_000_000_000_000_000 ~= self }
}

extension HapticDynamicParameter {
    fileprivate var isPossible: Bool { time.isPossible && id.range.contains(value) }
}

extension HapticParameterCurve {
    fileprivate var isPossible: Bool {
        time.isPossible
            && points.allSatisfy { $0.time.isPossible && id.range.contains($0.value) }
            && zip(points, points.dropFirst()).allSatisfy { $0.time <= $1.time }
    }
}

extension HapticPattern {
    /// True if all times and values are within their ranges and the times are in order.
    package var isPossible: Bool {
        func inOrder(_ times: [Microseconds]) -> Bool {
            zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }
        }
        return events.allSatisfy(\.isPossible) && parameters.allSatisfy(\.isPossible)
            && curves.allSatisfy(\.isPossible) && inOrder(events.map(\.time))
            && inOrder(parameters.map(\.time)) && inOrder(curves.map(\.time))
    }
}

extension HapticEvent {
    fileprivate var isPossible: Bool {
        let fractions = [
            intensity, sharpness, envelope.attackTime, envelope.decayTime, envelope.releaseTime,
        ]
        return time.isPossible && (length ?? 0).isPossible
            && fractions.allSatisfy((0...1).contains)
    }
}
