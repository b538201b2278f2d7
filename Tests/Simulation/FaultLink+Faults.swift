// FaultLink+Faults: the faults that affect a link.

import BridgeLink
import TestSupport
import VirtualBoard

extension FaultLink {
    func meet(_ fault: Fault) {
        record("\(fault.kind)")
        hostDue = now
        if !fault.kind.isHarmless { isPristine = false }
        if fault.kind.changesLevels { keepsLevels = false }
        switch fault.kind {
        case .noise, .lose, .repeated, .stall, .disconnect, .echo:
            let isOfCable = usbBoard.map { cable.meet(fault.kind, $0, at: now) }
            if isOfCable != true { line.meet(fault.kind, at: now) }
        case .pause(let time): pausedUntil = now + time
        case .jump(let time):
            jump += time
            keepsLevels = false
        case .reset: reset { board.reset() }
        case .powerCycle:
            powerCycles.append(board.now)
            reset { board.powerCycle() }
        case .watchdog:
            // An in-process board is reset immediately.
            let time = board is InProcessBoard ? 0 : Referee.watchdogTime
            reset(within: time) { board.hang(interruptsOn: true) }
        case .chip(let chip):
            breakChip(fault.actuator, chip)
        case .strike(let strike): strikes.append((fault.actuator, strike))
        case .calibrate, .save, .stopOfIDZero, .muteOfIDZero, .badOpen:
            hostSays(fault.kind, Int(fault.actuator))
        case .stop, .mute, .gain, .restart: hostDoes(fault.kind)
        }
    }

    func breakChip(_ actuator: Int, _ fault: ChipFault) {
        board.chip(actuator, fault)
        switch fault {
        case .nack, .brownOut: deaf.insert(actuator)
        default: break
        }
    }

    /// Applies the faults that are due immediately before a transfer to a chip, and ends the faults
    /// whose time has passed.
    func strike(transfer: Int) {
        for (actuator, strike) in strikes {
            if transfer == strike.transfer {
                record("\(strike.fault) of actuator \(actuator)")
                breakChip(actuator, strike.fault)
            }
            if let length = strike.length, transfer == strike.transfer + length {
                strike.relief.map { board.chip(actuator, $0) }
            }
        }
    }

    /// Resets the board by a given cause. Clears all outstanding requests, because the board also
    /// clears them.
    private func reset(within time: BoardTime = 0, _ cause: () -> Void) {
        recordLateness()
        cause()
        line.forget()
        (stoppedAt, mutedAt) = (nil, nil)
        protections.forget()
        deadManTrips = 0
        resets.append(board.now...board.now + time)
    }

    /// Records the board's counts of late writes, even if the host could not receive them.
    func recordLateness() {
        guard let counters = core?.pointee.counters else { return }
        lateness.record(
            count: Int(counters.late_events), latest: counters.latest_us,
            underruns: Int(counters.underruns))
    }

    private func hostDoes(_ fault: Fault.Kind) {
        guard session.phase == .open || fault == .restart else { return }
        switch fault {
        case .stop:
            wasStopped = true
            isStopping = true
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
