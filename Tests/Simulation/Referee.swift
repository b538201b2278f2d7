// Holds what the bus and the link saw against what was promised.

import BridgeLink
import CBridgeProtocol
import TestSupport
import VirtualBoard

/// A promise that was broken.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
    public var time: Microseconds
    public var what: String

    public var description: String { "\(time) us: \(what)" }
}

/// One playing of a score, in the host's true time.
struct Performance {
    let score: Score
    /// From when on its session, or its stream, is the board's.
    var begun: Microseconds
    /// Tick 0, once it is known, and how exactly.
    var origin: (time: Double, bound: Double)?
    /// Until when it may be heard at the latest.
    var over: Microseconds = .max
}

/// What a board has said of its writes: how many were late, by how much the latest was, and how often
/// there was nothing to write.
struct Lateness {
    var count = 0
    var latest: UInt32 = 0
    var underruns = 0

    mutating func note(_ status: Status) {
        note(
            count: Int(status.lateEvents), latest: status.latest, underruns: Int(status.underruns))
    }

    mutating func note(count: Int, latest: UInt32, underruns: Int) {
        self.count = max(self.count, count)
        self.latest = max(self.latest, latest)
        self.underruns = max(self.underruns, underruns)
    }
}

extension Performance {
    /// Whether an event that is due by `time`, and no longer before than it may be late, has this level.
    fileprivate func plays(
        _ level: UInt8, at time: Double, late: Double, slack: Double
    ) -> Bool {
        guard let origin else { return false }
        let tolerance = origin.bound + slack
        let place = time - origin.time
        return score.has(
            level, dueIn: place - tolerance - 2 * late...place + tolerance + Referee.late)
    }
}

struct Referee {
    private(set) var violations: [Violation] = []
    /// What the bus, the polling of the model and rounding take.
    private let slack: Double

    init(actuators: Int, port: InProcessBoard.Port) {
        slack = 500 + Self.partTime * Double(actuators - 1)
        lag = port.isAttentive ? 0 : port.interval + port.clockLag
        retryTime = port.isAttentive ? 0 : 2 * port.interval
        // The round after the one in which EN rises.
        riseTime = 200 + 300 * BoardTime(actuators - 1) + (port.isAttentive ? 0 : 200)
        haltTime = 5_000 + lag + retryTime
        lossTime = 200_000 + 3 * lag
    }

    /// A transfer that fails goes out again with the next round of the port, twice.
    private let retryTime: BoardTime
    /// How long a port may look at nothing but what interrupts do: what the core is to notice, a
    /// frame or the time, it notices later by so much.
    private let lag: BoardTime
    /// From the answer to STOP or MUTE until nothing drives.
    let haltTime: Microseconds
    /// From a chip's reset until it is noticed and stopped: each is looked at every 100 ms (SPEC 9).
    let lossTime: BoardTime

    /// From what one actuator is told to what the next one is (SPEC 6, Several actuators).
    private static let partTime = 200.0
    /// A write later than this counts as late, and is told.
    fileprivate static let late = Double(BRIDGE_LATE_US)
    /// From a hang of the main loop, interrupts on, to EN low (SPEC 9, Watchdog).
    static let watchdogTime: BoardTime = 300_000
    /// From the dead-man to level 0 on the bus, repeated transfers included.
    private static let restTime: BoardTime = 10_000
    /// What a chip has kept it drives until the first transfer after EN rises, which takes it away; on
    /// a bus that is broken then, until EN goes low again (SPEC 9).
    private let riseTime: BoardTime
    private static let brokenRiseTime: BoardTime = 5_000

    mutating func report(_ time: Microseconds, _ what: String) {
        if violations.count < 20 { violations.append(Violation(time: time, what: what)) }
    }

    // MARK: Safety, at every step

    /// - Parameter hang: from when until when a main loop that hung last may drive; it knows of no
    ///   dead-man then.
    mutating func watch(
        _ board: any BreakableBoard, drives: [Int], lastValid: BoardTime,
        hang: ClosedRange<BoardTime>?,
        at now: Microseconds
    ) {
        let silence = board.now - lastValid
        if silence > BoardTime(BRIDGE_DEAD_MAN_US) + Self.restTime + lag + retryTime,
            hang?.contains(board.now) != true
        {
            for (actuator, drive) in drives.enumerated() where drive != 0 {
                guard !isKept(by: board, actuator) else { continue }
                report(now, "drives \(drive), \(silence) us after the last valid frame")
            }
        }
        if let failure = board.failure { report(now, failure) }
    }

    /// Whether a chip may drive what it has kept, as it has been enabled just now.
    func isKept(by board: any BreakableBoard, _ actuator: Int) -> Bool {
        guard let since = board.driveChanges.last(where: { $0.actuator == actuator })?.time else {
            return false
        }
        return board.now - since <= keptTime(of: board, actuator, since: since)
    }

    /// How long a chip may drive what it has from `time` on. The bus is broken if transfers have failed
    /// since, and none has not; a chip that has not taken its reset before has a little longer to wake
    /// up for it.
    private func keptTime(
        of board: any BreakableBoard, _ actuator: Int, since time: BoardTime
    ) -> BoardTime {
        let since = board.transactions.reversed().prefix { $0.end >= time }
            .filter { $0.actuator == actuator }
        let last = since.first ?? board.transactions.last { $0.actuator == actuator }
        return since.contains { $0.isAcknowledged } || last?.isAcknowledged != false
            ? riseTime : Self.brokenRiseTime
    }

    // MARK: Levels, at the end

    /// Each level is that of an event which is due; nothing of what was before is heard. What is
    /// later than that is counted, and told with the greatest lateness (SPEC 6, Lateness), or it is
    /// what a stream is joined at that has run out (SPEC 6, Underrun). Before the reset of a firmware that
    /// hangs, an interrupt may carry out late what was due since: no loop is there to tell it.
    /// - Parameter hangs: from what led to a reset until it came.
    mutating func judge(
        _ writes: [(time: Double, level: UInt8)], of performances: [Performance], told: Lateness,
        hangs: [ClosedRange<Double>]
    ) {
        var late = 0
        var underruns = 0
        for (index, (time, level)) in writes.enumerated() where level != 0 {
            func isPlayed(late: Double) -> Bool {
                performances.contains {
                    Double($0.begun) <= time && time <= Double($0.over)
                        && $0.plays(level, at: time, late: late, slack: slack)
                }
            }
            // What a port renders too late, the host may never hear of.
            if isPlayed(late: Self.late + Double(lag)) { continue }
            if let hang = hangs.last(where: { $0.contains(time) }),
                isPlayed(late: time - hang.lowerBound)
            {
                continue
            }
            late += 1
            if late <= told.count, isPlayed(late: Double(told.latest) + Self.late) { continue }
            let isTakenBack = writes[(index + 1)...].first.map {
                $0.level == 0 && $0.time <= time + slack + Double(lag)
            }
            if isTakenBack == true, underruns < told.underruns, isPlayed(late: time) {
                underruns += 1
                continue
            }
            report(
                Microseconds(time),
                "level \(level) is not of an event that is due; \(told.count) were late, by "
                    + "\(told.latest) us at most")
        }
    }

    /// A playback that says it was clean was: every event once, in order and in time.
    mutating func judgeClean(
        _ performance: Performance, _ writes: [(time: Double, level: UInt8)]
    ) {
        let part = writes.filter { $0.level != 0 && $0.time >= Double(performance.begun) }
            .filter { Int($0.level) % Score.parts == performance.score.part }
        guard part.map(\.level) == performance.score.levels, let origin = performance.origin else {
            let count = performance.score.levels.count
            let index = zip(part.map(\.level), performance.score.levels).enumerated()
                .first { $1.0 != $1.1 }?.offset
            return report(
                performance.begun,
                "clean, but \(part.count) of \(count) events were played, different from "
                    + "\(index ?? min(part.count, count)) on")
        }
        for (index, write) in part.enumerated() {
            let error = write.time - origin.time - performance.score.due(index)
            if abs(error) > origin.bound + Self.late + slack {
                report(Microseconds(write.time), "event \(index) is \(Int(error)) us off")
                return
            }
        }
    }
}
