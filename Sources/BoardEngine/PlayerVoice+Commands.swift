// The execution of an app's commands by a player's voice.

import BridgeLink

extension PlayerVoice {
    /// Carries out a command at the voice's cursor. If the time of the command is in the past, the
    /// command is carried out now. Adding or releasing a player does not change its voice.
    package mutating func carryOut(_ command: PlayerCommand, at now: HostTime) {
        switch command {
        case .add, .abandon: break
        case .start(let time, let position): start(at: max(time, now), from: position)
        case .stop(let time): stop(at: max(time, now))
        case .send(let parameters, let time): send(parameters, at: max(time, now))
        case .schedule(let curve, let time): schedule(curve, at: max(time, now))
        case .cancel: cancel()
        case .pause: pause()
        case .resume(let time): resume(at: max(time, now))
        case .seek(let offset): seek(to: offset)
        case .setMuted(let isMuted): self.isMuted = isMuted
        case .setRate(let rate): setRate(rate)
        case .setLoop(let isEnabled, let end): setLoop(isEnabled, end: end)
        }
    }
}
