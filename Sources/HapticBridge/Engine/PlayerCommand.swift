// The commands of an app to its players, on their way to the stream.

import BridgeLink
import HapticPatterns

/// A command of an app to a player. Times are the host's; a time that has passed means now.
enum PlayerCommand: Sendable {
    case add(PlayerVoice)
    /// Releases the player, which can no longer be given commands. It plays to its end, if it has
    /// one.
    case abandon
    case start(at: HostTime)
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

    /// Returns a command that has the effect of this one and the next together; nil if there is
    /// none.
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
