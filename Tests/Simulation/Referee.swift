// Referee: checks that the traffic on the bus and on the link meets the guarantees.

import BridgeLink
import CBridgeProtocol
import TestSupport
import VirtualBoard

/// A board's report about its writes: the number of late writes, the maximum lateness, and the
/// number of underruns.
struct Lateness {
    var count = 0
    var latest: UInt32 = 0
    var underruns = 0

    mutating func record(_ status: Status) {
        record(
            count: Int(status.lateEvents), latest: status.latest, underruns: Int(status.underruns))
    }

    mutating func record(count: Int, latest: UInt32, underruns: Int) {
        self.count = max(self.count, count)
        self.latest = max(self.latest, latest)
        self.underruns = max(self.underruns, underruns)
    }
}

struct Referee {
    private(set) var violations: [Violation] = []
    /// The tolerance for the bus, the polling of the model and rounding, in microseconds.
    private let slack: Double

    init(actuators: Int, port: InProcessBoard.Port) {
        slack = 500 + Self.partTime * Double(actuators - 1)
        lag = port.isAttentive ? 0 : port.interval + port.clockLag
        retryTime = port.isAttentive ? 0 : 2 * port.interval
        // The first transfer is made in the round of the main loop that follows the rise of EN.
        riseTime = 200 + 300 * BoardTime(actuators - 1) + (port.isAttentive ? 0 : 200)
        haltTime = 5_000 + Self.lookTime * BoardTime(actuators - 1) + lag + retryTime
        lossTime = 200_000 + 3 * lag
    }

    /// The additional time for a failed transfer, which is repeated up to twice, each time in the
    /// next round of the port.
    private let retryTime: BoardTime
    /// The maximum time for which a port does not poll the core. During this time, the core does
    /// not respond to a frame or to the clock.
    private let lag: BoardTime
    /// The maximum time from the answer to STOP or MUTE until all chips have stopped driving.
    let haltTime: Microseconds
    /// The maximum time from a chip's reset until the reset is detected and the actuator is
    /// stopped. Each chip is read every 100 ms (SPEC 9).
    let lossTime: BoardTime

    /// The time to check a chip and its multiplexer before the chip is stopped (SPEC 9), in microseconds.
    private static let lookTime: BoardTime = 250
    /// The time from the write to one actuator to the write to the next actuator (SPEC 6, Several
    /// actuators), in microseconds.
    private static let partTime = 200.0
    /// The minimum lateness of a write that is counted and reported as late, in microseconds.
    static let late = Double(BRIDGE_LATE_US)
    /// The time from a hang of the main loop with interrupts enabled until EN is low (SPEC 9,
    /// Watchdog).
    static let watchdogTime: BoardTime = 300_000
    /// The maximum time from the dead-man trip to level 0 on the bus, including repeated transfers.
    private static let restTime: BoardTime = 10_000
    /// The maximum time for which a chip drives its retained level. The first transfer after the
    /// rise of EN removes the level. If the bus is broken, the chip drives until EN is set low
    /// again (SPEC 9).
    private let riseTime: BoardTime
    private static let brokenRiseTime: BoardTime = 5_000

    mutating func report(_ time: Microseconds, _ what: String) {
        if violations.count < 20 { violations.append(Violation(time: time, what: what)) }
    }

    // MARK: Safety checks at every step

    /// - Parameter hang: the maximum time for which a hung main loop may continue to drive. The
    ///   dead-man timer does not run while the main loop hangs.
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
                report(now, "a chip drives \(drive), \(silence) us after the last valid frame")
            }
        }
        if let failure = board.failure { report(now, failure) }
    }

    /// Returns true if a chip may drive its retained level because EN has just risen.
    func isKept(by board: any BreakableBoard, _ actuator: Int) -> Bool {
        guard let since = board.driveChanges.last(where: { $0.actuator == actuator })?.time else {
            return false
        }
        return board.now - since <= keptTime(of: board, actuator, since: since)
    }

    /// Returns the time for which a chip may drive its retained level after `time`. The bus is
    /// considered broken if transfers have failed since `time` and none has succeeded. If a chip
    /// did not accept the previous reset, the time is slightly longer, because the chip must wake
    /// before the reset.
    private func keptTime(
        of board: any BreakableBoard, _ actuator: Int, since time: BoardTime
    ) -> BoardTime {
        let since = board.transactions.reversed().prefix { $0.end >= time }
            .filter { $0.actuator == actuator }
        let last = since.first ?? board.transactions.last { $0.actuator == actuator }
        return since.contains { $0.isAcknowledged } || last?.isAcknowledged != false
            ? riseTime : Self.brokenRiseTime
    }

    // MARK: Checks of levels at the end

    /// Checks that each level belongs to an event that is due, and that no earlier level is played.
    /// A late level must be counted and reported with the maximum lateness (SPEC 6, Lateness),
    /// unless it is the level at which a stream resumes after an underrun (SPEC 6, Underrun).
    /// While the firmware hangs before a reset, an interrupt may execute events late, and the main
    /// loop cannot report their lateness.
    ///
    /// - Parameter hangs: for each hang, the time from the cause of the reset to the reset itself.
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
            // Events that a port plays too late may be missing from the reports that the host
            // receives.
            if isPlayed(late: Self.late + Double(lag)) { continue }
            if let hang = hangs.last(where: { $0.contains(time) }),
                isPlayed(late: time - hang.lowerBound)
            {
                continue
            }
            late += 1
            if late <= told.count, isPlayed(late: Double(told.latest) + Self.late) { continue }
            // If the board has received only a short portion, the stream runs out again
            // immediately, or resumes a second time.
            let isTakenBack = writes[(index + 1)...].first.map {
                $0.time <= time + slack + Double(lag)
            }
            if isTakenBack == true, underruns < told.underruns, isPlayed(late: time) {
                underruns += 1
                continue
            }
            report(
                Microseconds(time),
                "level \(level) does not belong to a due event; \(told.count) were late, by "
                    + "\(told.latest) us at most")
        }
    }

    /// Checks that a playback that was reported as clean has played every event once, in order and
    /// in time.
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
                "reported as clean, but \(part.count) of \(count) events were played, and the "
                    + "levels differ from event \(index ?? min(part.count, count)) onward")
        }
        for (index, write) in part.enumerated() {
            let error = write.time - origin.time - performance.score.due(index)
            if abs(error) > origin.bound + Self.late + slack {
                report(
                    Microseconds(write.time),
                    "event \(index) deviates from its time by \(Int(error)) us")
                return
            }
        }
    }
}
