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

struct Referee {
    private(set) var violations: [Violation] = []

    /// A write later than this counts as late, and is told.
    private static let late = Double(BRIDGE_LATE_US)
    /// What the bus, the polling of the model and rounding take.
    private static let slack = 500.0
    /// From the dead-man to level 0 on the bus, repeated transfers included.
    private static let restTime: BoardTime = 10_000
    /// What a chip has kept it drives until the first transfer after a boot (SPEC 9).
    private static let bootTime: BoardTime = 200

    mutating func report(_ time: Microseconds, _ what: String) {
        if violations.count < 20 { violations.append(Violation(time: time, what: what)) }
    }

    // MARK: Safety, at every step

    mutating func watch(_ board: any BreakableBoard, lastValid: BoardTime, at now: Microseconds) {
        let silence = board.now - lastValid
        if let present = board.driveChanges.last, present.drive != 0,
            silence > BoardTime(BRIDGE_DEAD_MAN_US) + Self.restTime,
            board.now - present.time > Self.bootTime
        {
            report(now, "drives \(present.drive), \(silence) us after the last valid frame")
        }
        if let failure = board.failure { report(now, failure) }
    }

    // MARK: Levels, at the end

    /// Each level is that of an event which is due; nothing of what was before is heard.
    mutating func judge(_ writes: [(time: Double, level: UInt8)], of performances: [Performance]) {
        for (time, level) in writes where level != 0 {
            let candidates = performances.filter {
                Double($0.begun) <= time && time <= Double($0.over)
            }
            let isPlayed = candidates.contains { performance in
                guard let origin = performance.origin else { return false }
                let tolerance = origin.bound + Self.late + Self.slack
                let place = time - origin.time
                return performance.score.has(
                    level, dueIn: place - tolerance - Self.late...place + tolerance)
            }
            if !isPlayed {
                report(Microseconds(time), "level \(level) is not of an event that is due")
            }
        }
    }

    /// Over its budget an actuator is driven no harder than it stands (SPEC 8), counted here by
    /// itself. A board that was reset begins anew.
    mutating func judgeBudget(
        _ drives: [(time: Double, drive: Int)], _ configuration: ActuatorConfiguration,
        resets: [Microseconds]
    ) {
        let sustained = Double(configuration.sustained)
        let limit = Double(configuration.budget) * 256
        var heat = 0.0
        for (present, next) in zip(drives, drives.dropFirst()) {
            let isReset = resets.contains { present.time...next.time ~= Double($0) }
            let drive = Double(present.drive)
            // Where it is over the limit by more than a moment, the level is held back.
            let power = (drive * drive - sustained * sustained) / 256
            let time = next.time - present.time
            heat = isReset ? 0 : max(0, heat + power * time / Double(BRIDGE_HEAT_STEP_US))
            if heat > limit + 4 * 256 {
                report(Microseconds(next.time), "heat \(Int(heat)) of \(Int(limit))")
                return
            }
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
            if abs(error) > origin.bound + Self.late + Self.slack {
                report(Microseconds(write.time), "event \(index) is \(Int(error)) us off")
                return
            }
        }
    }
}
