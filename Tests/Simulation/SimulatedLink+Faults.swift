// What happens to a link.

import BridgeLink
import VirtualBoard

extension SimulatedLink {
    func meet(_ fault: Fault) {
        note("\(fault.kind)")
        isPristine = false
        if fault.kind.changesLevels { keepsLevels = false }
        switch fault.kind {
        case .noise, .lose, .repeated, .stall, .disconnect: line.meet(fault.kind, at: now)
        case .pause(let time): pausedUntil = now + time
        case .jump(let time):
            jump += time
            keepsLevels = false
        case .reset: reset { board.reset() }
        case .powerCycle: reset { board.powerCycle() }
        case .watchdog:
            // In this process it comes at once.
            let time = board is InProcessBoard ? 0 : Referee.watchdogTime
            reset(within: time) { board.hang(interruptsOn: true) }
        case .chip(let chip):
            board.chip(fault.actuator, chip)
            switch chip {
            case .nack, .brownOut: deaf.insert(fault.actuator)
            default: break
            }
        case .stop, .mute, .gain, .restart: hostDoes(fault.kind)
        }
    }

    /// What was asked of the board before is forgotten there; so is what its actuator has borne.
    private func reset(within time: BoardTime = 0, _ cause: () -> Void) {
        cause()
        line.forget()
        (stoppedAt, mutedAt) = (nil, nil)
        resets.append(board.now...board.now + time)
    }

    private func hostDoes(_ fault: Fault.Kind) {
        guard session.phase == .open || fault == .restart else { return }
        switch fault {
        case .stop:
            wasStopped = true
            if playback?.outcome == nil, playback != nil {
                playback?.stop(&session, at: hostNow)
            } else {
                session.stop()
            }
        case .mute(let isMuted):
            mutedAt = isMuted ? .max : nil
            session.mute(.all, isMuted)
        case .gain(let gain):
            session.send(.gain(Gain(actuators: .all, gain: gain)))
        default: if sessions < plan.sessions { connect() }
        }
    }
}
