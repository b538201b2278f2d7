// Plan: the properties of a run that a seed determines.

import BridgeLink
import DRV2605
import TestSupport
import VirtualBoard

/// The plan of a run. The plan contains all properties that a seed determines, except for random
/// events during the run.
struct Plan: Sendable {
    let seed: UInt64
    let faults: [Fault]
    let links: Int
    let line: LineDelays.Kind
    /// The actuators of each stream of a board. A pattern is played by one stream for all
    /// actuators.
    let streams: [ActuatorMask]
    /// The amount that each actuator's curve adds to the levels of the actuator.
    let shifts: [UInt8]
    /// The drifts of the boards' clocks, in parts per million.
    let drifts: [Double]
    /// The maximum number of successive sessions.
    let sessions: Int
    let isTimed: Bool
    /// True if the host revises streams continuously instead of playing one pattern.
    let isLive: Bool
    /// True if the pull-up resistors of the boards' buses are too weak for 400 kHz.
    let hasWeakPullUps: Bool
    /// True if the actuators have an energy budget.
    let hasBudget: Bool
    /// The time until which the host does nothing, because the board does not answer yet.
    let start: Microseconds
    let lead: Microseconds
    let length: Microseconds
    let spacing: Int
    /// The unusual circumstances of the run.
    let oddities: Oddities
    /// True if the run has the older form, in which hosts act in each step.
    let isPlain: Bool

    /// - Parameters:
    ///   - actuators: the number of actuators of each board; nil lets the seed determine it.
    ///   - start: the time from which the board answers, in microseconds.
    ///   - isPlain: true to exclude unusual circumstances, so that a seed has the same meaning as
    ///     in older versions.
    init(
        seed: UInt64, actuators: Int? = nil, start: Microseconds = 0, isPlain: Bool = false
    ) {
        var random = SeededGenerator(seed: seed)
        self.seed = seed
        self.start = start
        self.isPlain = isPlain
        links = random.chance(oneIn: 8) ? 2 : 1
        line = random.chance(oneIn: 2) ? .usb : .pty
        drifts = (0..<links).map { _ in .random(in: -5_000...5_000, using: &random) }
        sessions = .random(in: 1...3, using: &random)
        isTimed = random.chance(oneIn: 2)
        isLive = random.chance(oneIn: 4)
        let isBudgeted = random.chance(oneIn: 6)
        var ofBus = SeededGenerator(seed: seed &* 0xD134_2543_DE82_EF95 ^ 0xB05)
        hasWeakPullUps = ofBus.chance(oneIn: 8)
        let lead = Microseconds.random(in: 200_000...400_000, using: &random)
        length = .random(in: 200_000...900_000, using: &random)
        let spacing = Int.random(in: 12...60, using: &random)
        // Uses a separate random generator, so that the following decisions do not affect the
        // decisions of the first generator.
        var ofBoard = SeededGenerator(seed: ~seed)
        let several = ofBoard.chance(oneIn: 3) ? Int.random(in: 2...8, using: &ofBoard) : 1
        let count = actuators ?? several
        shifts =
            count == 1 ? [0] : (0..<count).map { _ in [0, 8, 16].randomElement(using: &ofBoard)! }
        let streamCount = isLive ? Int.random(in: 1...min(count, 4), using: &ofBoard) : 1
        streams = (0..<streamCount).map { first in
            stride(from: first, to: count, by: streamCount).reduce(into: []) {
                $0.insert(ActuatorMask(index: $1))
            }
        }
        // After two attempts at 400 kHz, a board with weak pull-ups sets up all its chips twice.
        self.lead = lead + (hasWeakPullUps ? 100_000 + 100_000 * Microseconds(count) : 0)
        let end = lead + length + 200_000
        let faults = Fault.schedule(
            until: end, links: links, actuators: count, using: &random)
        oddities =
            isPlain ? .none : Oddities(seed: seed, links: links, actuators: count, end: end)
        self.spacing = oddities.spacing ?? spacing
        hasBudget = isBudgeted || oddities.hasBudget
        self.faults = (faults + oddities.faults).sorted { $0.time < $1.time }
            .map { $0.later(by: start) }
    }

    /// The method by which the boards poll the core, and the hours of silence, as text.
    var port: String { "\(oddities.port), hours: \(oddities.hours.map { "\($0)" } ?? "no")" }

    /// True if a host's session mutes or unmutes.
    var mutes: Bool {
        faults.contains { if case .mute = $0.kind { true } else { false } }
    }

    /// The number of actuators of a board.
    var actuators: Int { shifts.count }

    /// The additional time that is required to wake several chips, compared with one chip on a fast
    /// bus. Chips wake one after the other.
    var wakingTime: Microseconds {
        let ofEach: Microseconds = hasWeakPullUps ? 5_000 : 2_500
        return ofEach * Microseconds(actuators) - 2_500
    }

    /// The interval between START and tick 0 for a relative start.
    var relativeLead: Microseconds { hasWeakPullUps ? lead : 20_000 + wakingTime }

    /// The number of different levels in a score. For this number, the curve adds the same amount
    /// to each level.
    var levelSteps: Int { actuators == 1 ? 30 : 15 }

    /// The configuration of each actuator.
    var configurations: [ActuatorConfiguration] {
        shifts.map { shift in
            var configuration = ActuatorConfiguration.coinLRA
            configuration.curve = LevelCurve(low: shift, mid: 128 + shift, high: .max)
            if hasBudget { (configuration.sustained, configuration.budget) = (100, 60) }
            return configuration
        }
    }
}
