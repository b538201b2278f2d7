// What an app does to players, on its way to the stream.

import AHAP
import BridgeLink

/// What an app does to a player. Times are the host's; one that has passed means now.
enum PlayerCommand: Sendable {
    case add(PlayerVoice)
    /// Nobody can command it any more: it plays to its end, if it has one.
    case abandon
    case start(at: Microseconds)
    case stop(at: Microseconds)
    case send([HapticDynamicParameter], at: Microseconds)
    case schedule(HapticParameterCurve, at: Microseconds)
    case cancel
    case pause(at: Microseconds)
    case resume(at: Microseconds)
    case seek(offset: Microseconds)
    case setMuted(Bool)
    case setRate(Double)
    case setLoop(Bool, end: Microseconds)

    /// One command that does what this one and the next do together; nil if there is none.
    func merged(with next: PlayerCommand) -> PlayerCommand? {
        switch (self, next) {
        case (.setMuted, .setMuted), (.setRate, .setRate), (.setLoop, .setLoop): return next
        case (.send(let earlier, let time), .send(let later, let other)) where time == other:
            let kept = earlier.filter { parameter in
                !later.contains { $0.id == parameter.id && $0.time == parameter.time }
            }
            return .send(kept + later, at: time)
        default: return nil
        }
    }
}

/// A command with its place in the queue.
struct TimedCommand: Sendable {
    let player: PlayerID
    var command: PlayerCommand

    /// When it is carried out; the voice itself keeps the times of the others.
    var due: Microseconds {
        switch command {
        case .pause(let time), .resume(let time): time
        default: 0
        }
    }
}
