// What a link is held against, at every step and at the end.

import BridgeLink
import VirtualBoard

extension SimulatedLink {
    /// After STOP and while muted nothing drives; memory stays in its bounds.
    func watchPromises() {
        if let stoppedAt, drive != 0, now > stoppedAt + 5_000 {
            referee.report(now, "drives \(drive) after STOP")
        }
        if let mutedAt, mutedAt != .max, drive != 0, now > mutedAt + 5_000 {
            referee.report(now, "drives \(drive) while muted")
        }
        if let core = (board as? InProcessBoard)?.core.pointee {
            let memory = core.streams.0.memory
            let isWithin = memory.used <= memory.capacity && memory.readable <= memory.used
            if !isWithin { referee.report(now, "event memory is overrun") }
        }
        if line.arrivalCount > 2_000 { referee.report(now, "the host's queue grows") }
    }

    /// At the end of the run: what the bus saw, and what was said of it.
    func judge() {
        let writes = board.transactions.levels.map { (Double($0.time) / rate, $0.value) }
        if plan.hasBudget {
            let budget = BudgetReferee(board, configuration)
            if let excess = budget.firstExcess(until: board.now, resets: resets) {
                referee.report(
                    Microseconds(Double(excess.time) / rate),
                    "heat \(excess.heat) of \(excess.limit)")
            }
        } else if keepsLevels {
            referee.judge(writes, of: performances + reviser.performances, told: lateness)
        }
        if drive != 0 { referee.report(now, "drives \(drive) when all is over") }
        for finding in board.findings where finding.contains("one-time") {
            referee.report(now, finding)
        }
        guard !plan.isLive else { return judgeReviser() }
        guard let playback, let outcome = playback.outcome else {
            if session.phase == .open { referee.report(now, "does not come to an end") }
            return
        }
        note("\(outcome), \(playback.progress)")
        let isClean = playback.progress.isClean
        if plan.hasBudget { isPristine = false }
        switch outcome {
        case .success(.played) where isClean && keepsLevels:
            referee.judgeClean(performances.last!, writes)
        case .success(.stopped) where !wasStopped: referee.report(now, "stopped by nobody")
        default: break
        }
        if isPristine, !isClean || !outcome.isPlayed {
            referee.report(now, "nothing was wrong, but \(outcome): \(playback.progress)")
        }
    }

    private func judgeReviser() {
        note("revised \(reviser.performances.count) times, \(reviser.rejects) rejected")
        if session.phase == .open, reviser.phase != .over {
            referee.report(now, "does not come to an end")
        }
        if isPristine, reviser.rejects > 0 || reviser.performances.count < 3 {
            referee.report(now, "nothing was wrong, but \(reviser.rejects) REVISEs were rejected")
        }
    }

    /// Both credits are the device's to give: it looks at none of them again (SPEC 4.4).
    func checkCredit(of frame: Frame) {
        guard frame.type.isSequenced, frame.sequence == nextSequence else { return }
        nextSequence &+= 1
        linkTotal &+= UInt16(frame.wireSize)
        guard let core = (board as? InProcessBoard)?.core.pointee,
            core.receiver.session == session.sessionID
        else { return }
        if Int16(bitPattern: linkTotal &- core.answers.link_limit) > 0 {
            referee.report(now, "link credit overrun: \(linkTotal) of \(core.answers.link_limit)")
        }
    }
}

extension Result where Success == Playback.Ending {
    fileprivate var isPlayed: Bool { if case .success(.played) = self { true } else { false } }
}
