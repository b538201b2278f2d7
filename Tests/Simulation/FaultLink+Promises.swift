// FaultLink+Promises: the guarantees that are checked on a link in every step and at the end.

import BridgeLink
import CBridgeFirmware
import VirtualBoard

extension FaultLink {
    /// Checks that no actuator is driven after STOP or while muted, and that memory stays within
    /// its bounds.
    func watchPromises() {
        if isDriven {
            if let stoppedAt, now > stoppedAt + referee.haltTime {
                referee.report(now, "the chips drive \(drives) after STOP")
            }
            if let mutedAt, mutedAt != .max, now > mutedAt + referee.haltTime {
                referee.report(now, "the chips drive \(drives) while muted")
            }
        }
        if let core { watch(core) }
        if line.arrivalCount > 2_000 { referee.report(now, "the host's queue is too long") }
    }

    /// True if a chip drives anything other than its retained level.
    private var isDriven: Bool {
        drives.enumerated().contains { $1 != 0 && !referee.isKept(by: board, $0) }
    }

    /// Checks the guarantees that can be observed in the core of an in-process board.
    private func watch(_ core: UnsafeMutablePointer<bridge>) {
        for index in plan.streams.indices {
            let memory = bridge_stream(core, UInt8(index)).pointee.memory
            let isWithin = memory.used <= memory.capacity && memory.readable <= memory.used
            if !isWithin { referee.report(now, "event memory is overrun") }
        }
        watchDeadMan(core.pointee.counters.dead_man_trips)
        watchImages()
        for what in protections.watch(core, drives: drives, at: board.now) {
            referee.report(now, what)
        }
    }

    /// Checks that a chip that has lost its registers does not continue to drive, because the chip
    /// would interpret levels in an unintended format.
    private func watchImages() {
        guard !strikes.isEmpty, let board = board as? InProcessBoard else { return }
        for (actuator, drive) in drives.enumerated() {
            guard drive != 0, board.register(0x1D, ofActuator: actuator) != levelFormats[actuator]
            else {
                strangeSince[actuator] = nil
                continue
            }
            let since = strangeSince[actuator] ?? board.now
            strangeSince[actuator] = since
            if board.now - since > referee.lossTime {
                referee.report(now, "a chip drives \(drive) with a wrong register image")
            }
        }
    }

    /// Checks that the dead-man timer trips only after its full time of silence.
    private func watchDeadMan(_ trips: UInt16) {
        defer { (deadManTrips, lastNow) = (trips, board.now) }
        guard trips != deadManTrips else { return }
        let silence = board.now - line.lastValid(by: lastNow)
        if silence < BoardTime(BRIDGE_DEAD_MAN_US) {
            referee.report(now, "the dead-man trips \(silence) us after a valid frame")
        }
    }

    /// True if a calibration may still be running; the board may have received the command late.
    var isCalibrating: Bool {
        guard let core else { return false }
        return (0..<UInt8(plan.actuators)).contains {
            bridge_actuator(core, $0).pointee.state == BRIDGE_ACTUATOR_CALIBRATING.rawValue
        }
    }

    /// True if any stream is playing.
    var isPlaying: Bool {
        guard let core else { return false }
        return plan.streams.indices.contains {
            bridge_stream(core, UInt8($0)).pointee.state == BRIDGE_STREAM_PLAYING.rawValue
        }
    }

    /// Compares the bus traffic with the board's reports at the end of the run.
    func judge() {
        recordLateness()
        if plan.hasBudget {
            judgeBudgets()
        } else if keepsLevels {
            judgeLevels()
        }
        if isDriven {
            referee.report(now, "the chips drive \(drives) after the end of the run")
        }
        for finding in board.findings where finding.contains("one-time") {
            referee.report(now, finding)
        }
        for complaint in line.witnessOfImage?.report.complaints ?? [] {
            referee.report(now, complaint)
        }
        guard !plan.isLive else { return judgeReviser() }
        guard let playback, let outcome = playback.outcome else {
            if session.phase == .open { referee.report(now, "the playback does not end") }
            return
        }
        record("\(outcome), \(playback.progress)")
        let isClean = playback.progress.isClean
        if plan.hasBudget { isPristine = false }
        switch outcome {
        case .success(.played) where isClean && keepsLevels:
            // In a transfer to several chips, the acknowledgements of the other chips hide a chip
            // that does not answer.
            let hidden = plan.actuators > 1 ? deaf : []
            for actuator in 0..<plan.actuators where !hidden.contains(actuator) {
                referee.judgeClean(performances.last!, writes(of: actuator))
            }
        case .success(.stopped) where !wasStopped: referee.report(now, "stopped without a STOP")
        default: break
        }
        if isPristine, !isClean || !outcome.isPlayed {
            referee.report(
                now, "without faults, the playback ended with \(outcome): \(playback.progress)")
        }
    }

    private func judgeReviser() {
        for reviser in revisers {
            record("revised \(reviser.performances.count) times, \(reviser.rejects) rejected")
            if session.phase == .open, reviser.phase != .over {
                referee.report(now, "the playback does not end")
            }
            if isPristine, reviser.rejects > 0 || reviser.performances.count < 3 {
                referee.report(
                    now, "\(reviser.rejects) REVISEs were rejected without faults")
            }
        }
    }

    private func judgeBudgets() {
        for (actuator, configuration) in plan.configurations.enumerated() {
            let budget = BudgetReferee(
                board, configuration, actuator: actuator, port: plan.oddities.port)
            let excess = budget.firstExcess(
                until: board.now, resets: resets, powerCycles: powerCycles)
            guard let excess else { continue }
            referee.report(
                Microseconds(Double(excess.time) / rate),
                "heat \(excess.heat) of \(excess.limit) on actuator \(actuator)")
        }
    }

    private func judgeLevels() {
        let hangs = resets.map {
            Double($0.lowerBound) / rate...Double($0.upperBound) / rate
        }
        for (stream, actuators) in plan.streams.enumerated() {
            let performances = plan.isLive ? revisers[stream].performances : performances
            for actuator in actuators.indices {
                referee.judge(
                    writes(of: Int(actuator)), of: performances, told: lateness, hangs: hangs)
            }
        }
    }

    /// Returns the levels that were written to an actuator, with their true times and without the
    /// effect of the actuator's curve.
    private func writes(of actuator: Int) -> [(time: Double, level: UInt8)] {
        board.transactions.filter { $0.actuator == actuator }.levels.map {
            (Double($0.time) / rate, $0.value == 0 ? 0 : $0.value &- plan.shifts[actuator])
        }
    }

    /// Checks that a frame exceeds neither of the two credits. The device grants the credits, but
    /// does not check them again (SPEC 4.4).
    func checkCredit(of frame: Frame) {
        guard frame.type.isSequenced, frame.sequence == nextSequence else { return }
        nextSequence &+= 1
        linkTotal &+= UInt16(frame.wireSize)
        guard let core, core.pointee.receiver.session == session.sessionID else { return }
        let limit = core.pointee.answers.link_limit
        if Int16(bitPattern: linkTotal &- limit) > 0 {
            referee.report(now, "link credit overrun: \(linkTotal) of \(limit)")
        }
    }
}

extension Result where Success == Playback.Completion {
    fileprivate var isPlayed: Bool { if case .success(.played) = self { true } else { false } }
}
