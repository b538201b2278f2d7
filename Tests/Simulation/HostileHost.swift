// HostileHost: a run in which a host drives an actuator as hard as possible, and checks of the
// board's response.

import BridgeLink
import DRV2605
import HapticCompiler
import TestSupport
import VirtualBoard

/// A host that follows the protocol and tries to damage an actuator. The host uses levels that drop
/// at the possible times of the device's checks, configurations that exceed a lock, and
/// calibrations, gains, mutes and resets at any time. In half of the runs, the chip, the bus or the
/// supply of the board also fails.
final class HostileHost {
    let board: any BreakableBoard
    let count: Int
    let limits: ActuatorConfiguration
    private let isLocked: Bool
    private let hasFaults: Bool
    private let length: BoardTime
    var link: IdealLink
    var random: SeededGenerator
    /// The cells in which an image first stored its configuration and its lock.
    private(set) var stored: [Int] = []
    var referees: [EnergyReferee] = []
    private var violations: [Violation] = []
    private var log: [String] = []
    private let isTraced: Bool

    /// Runs the host that a seed determines.
    ///
    /// - Parameters:
    ///   - start: the time from which the board answers.
    ///   - makeBoard: a closure that creates a board with one actuator; nil for an in-process
    ///     board.
    static func run(
        seed: UInt64, isTraced: Bool = false, start: BoardTime = 300_000,
        makeBoard: Simulation.MakeBoard? = nil
    ) -> Verdict {
        var random = SeededGenerator(seed: seed ^ 0x5EED_0F_ACE5)
        let chip: HapticChip = random.chance(oneIn: 4) && makeBoard == nil ? .drv2605 : .drv2605L
        let count =
            random.chance(oneIn: 3) && makeBoard == nil ? Int.random(in: 2...4, using: &random) : 1
        let board =
            makeBoard?()
            ?? InProcessBoard.configured { options in
                (options.chipID, options.actuators) = (chip == .drv2605 ? 3 : 7, count)
            }
        // The setup of a chip takes longer with weak pull-ups.
        let isWeak = seed % 8 == 3
        if isWeak { board.chip(.weakPullUps(true)) }
        board.advance(to: start + (isWeak ? 500_000 : 0))
        let limits = ActuatorConfiguration.hostileLimits(chip, using: &random)
        let host = HostileHost(
            board, count: count, limits, seed: seed, random: random, isTraced: isTraced)
        host.run()
        return Verdict(violations: host.violations, collisions: 0, log: host.log)
    }

    private init(
        _ board: any BreakableBoard, count: Int, _ limits: ActuatorConfiguration, seed: UInt64,
        random: SeededGenerator, isTraced: Bool
    ) {
        self.random = random
        (self.board, self.count, self.limits, self.isTraced) = (board, count, limits, isTraced)
        isLocked = self.random.chance(oneIn: 2)
        hasFaults = self.random.chance(oneIn: 2)
        length =
            self.random.chance(oneIn: 20)
            ? 20_000_000 : .random(in: 1_000_000...4_000_000, using: &self.random)
        link = IdealLink(board, sessionID: UInt32(truncatingIfNeeded: seed &* 2_654_435_761) | 1)
    }

    // MARK: The run

    private func run() {
        guard prepare() else { return }
        let end = board.now + length
        while board.now < end, violations.isEmpty, board.failure == nil {
            act()
            judge()
        }
        if let failure = board.failure { report(failure) }
    }

    /// Configures the actuators, and locks the configuration in half of the runs.
    private func prepare() -> Bool {
        record("\(limits), \(isLocked ? "locked" : "not locked"), \(count) actuators")
        guard link.connect(limit: 4_000_000) else {
            report("does not connect")
            return false
        }
        for actuator in 0..<UInt8(count) {
            if let reject = carryOut(.configure(limits, actuator: actuator)) {
                report("a valid configuration is rejected: \(reject)")
                return false
            }
            link.run(for: 60_000)
            if isLocked { carryOut(.lock(actuator: actuator)) }
            carryOut(.save(actuator: actuator))
        }
        link.run(for: 320_000)
        let registers = [UInt8](repeating: 0, count: 0x16) + limits.image.bytes.dropFirst()
        referees = (0..<count).map {
            EnergyReferee(limits, actuator: $0, at: board.now, registers: registers)
        }
        stored = (board as? LockStepBoard)?.trace.writtenCells ?? []
        board.forgetTrace()
        return true
    }

    @discardableResult
    func carryOut(_ command: Command) -> Reject? {
        let reject = try? link.carryOut(command)
        record("\(command.type) \(reject.flatMap { $0 }.map { "\($0)" } ?? "")")
        return reject.flatMap { $0 }
    }

    func judge() {
        for actuator in referees.indices {
            for change in board.driveChanges where isTraced && change.actuator == actuator {
                record(
                    "actuator \(actuator) is driven by \(change.drive) from \(change.time) us on")
            }
            referees[actuator].follow(board)
            record("actuator \(actuator) has \(referees[actuator].heat) V2s")
            if let excess = referees[actuator].excess {
                report(
                    "actuator \(actuator) has received \(excess.heat) V2s; the limit is "
                        + "\(excess.limit), at \(excess.time)")
            }
        }
        board.forgetTrace()
    }

    private func report(_ what: String) {
        violations.append(Violation(time: board.now, what: "hostile host: \(what)"))
        record("violation: \(what)")
    }

    func record(_ what: @autoclosure () -> String) {
        if isTraced { log.append("\(board.now) us: \(what())") }
    }

    // MARK: Actions

    private var all: ActuatorMask {
        (0..<count).reduce(into: []) { $0.insert(ActuatorMask(index: $1)) }
    }

    private func act() {
        guard link.session.phase == .open else { return reconnect() }
        let deeds = hasFaults ? stored.isEmpty ? 20 : 21 : 11
        switch Int.random(in: 0..<deeds, using: &random) {
        case 0...2: playDips()
        case 3: count > 1 ? playSeveral() : playDips()
        case 4: playSteadily()
        case 5: turnGains()
        case 6: turnMutes()
        case 7: measure()
        case 8: isLocked ? configure() : playDips()
        case 9: isLocked ? lockAgain() : playSteadily()
        case 10: link.run(for: .random(in: 0...200_000, using: &random))
        case 11: restart()
        case 12: breakChip(.damage(bits: .random(in: 1...255, using: &random)))
        case 13: breakChip(.nack(bytes: .random(in: 1...4, using: &random)))
        case 14: board.chip(.random(in: 0..<count, using: &random), .brownOut)
        case 15: stop()
        case 16: resetInSuccession()
        case 17: count > 1 ? mislead() : stop()
        case 18: setUpInSuccession()
        case 19: wakeShortly()
        default: flipStoredBit()
        }
    }

    func reconnect() {
        link = IdealLink(board, sessionID: link.session.sessionID &+ 2)
        if !link.connect(limit: 4_000_000) { report("does not connect after a reset") }
    }

    /// Alternates between two levels, with any duty cycle and any period relative to the interval
    /// at which the device checks the drive.
    private func playDips() {
        let tick = Int.random(in: 30...255, using: &random)
        let period = Int.random(in: 300...9_000, using: &random)
        let dip = period / .random(in: 2...40, using: &random)
        let long = max(1, (period - dip) / tick)
        let short = max(1, dip / tick)
        let high = random.chance(oneIn: 3) ? UInt8.random(in: 100...255, using: &random) : 255
        let low = random.chance(oneIn: 3) ? UInt8.random(in: 0...100, using: &random) : 0
        let time = BoardTime.random(in: 20_000...500_000, using: &random)
        let copies = min(400, Int(time) / (49 * (long + short) * tick) + 1)
        record("dips \(high) for \(long), \(low) for \(short) of \(tick) us, \(copies) times 49")
        let events =
            Self.level(high, ticks: short) + Self.level(low, ticks: long)
            + (0..<copies).flatMap { _ in [0xFF, 0xE1] as [UInt8] } + [0xF3, 1]
        begin(events, tick: tick)
        link.run(for: time)
    }

    /// Opens a separate stream for each actuator, so that a wrong channel of the multiplexer
    /// misroutes levels. In half of the cases, the actuators share one stream instead, and have
    /// different curves.
    private func playSeveral() {
        let isShared = random.chance(oneIn: 2)
        if isShared {
            var curved = limits
            curved.curve = LevelCurve(
                low: 0, mid: .random(in: 0...127, using: &random), high: 255)
            carryOut(.configure(curved, actuator: 0))
            link.run(for: 60_000)
        }
        let tick = UInt32.random(in: 10...40, using: &random)
        let period = Int.random(in: 300...2_000, using: &random) / Int(tick)
        let time = BoardTime.random(in: 100_000...800_000, using: &random)
        let copies = min(60, Int(time) / (49 * period * Int(tick)) + 1)
        record(
            "\(isShared ? "one stream" : "streams") with a period of \(period) ticks of \(tick) us")
        for stream in 0..<UInt8(isShared ? 1 : count) {
            let mask = isShared ? all : ActuatorMask(index: Int(stream))
            let memory = isShared ? 0 : UInt16(384 / count)
            let on = max(1, period / Int.random(in: 2...20, using: &random))
            let low = UInt8.random(in: 0...2, using: &random)
            let events =
                Self.level(low, ticks: on) + Self.level(255, ticks: max(1, period - on))
                + (0..<copies).flatMap { _ in [0xFF, 0xE1] as [UInt8] } + [0xF3, 1]
            carryOut(.open(Open(stream: stream, actuators: mask, memory: memory)))
            for start in Swift.stride(from: 0, to: events.count, by: 40) {
                let part = Array(events[start..<min(start + 40, events.count)])
                carryOut(.events(Events(stream: stream, bytes: part)))
            }
        }
        for stream in 0..<UInt8(isShared ? 1 : count) {
            carryOut(
                .start(
                    Start(
                        stream: stream, isRelative: true, time: 12_000 - UInt32(stream) * 2_000,
                        scale: TickScale(rawValue: tick << 24))))
        }
        link.run(for: time)
        if isShared {
            link.session.stop()
            link.run(for: 100_000)
            carryOut(.configure(limits, actuator: 0))
            link.run(for: 60_000)
        }
    }

    /// Returns a LEVEL event that occurs a number of ticks after the preceding event.
    static func level(_ level: UInt8, ticks: Int) -> [UInt8] {
        ticks < 128
            ? [0xB1, UInt8(ticks), level]
            : [0xB1, UInt8(ticks & 127) | 128, UInt8(ticks >> 7), level]
    }

    func playSteadily() {
        let level = UInt8.random(in: 100...255, using: &random)
        begin([0xB0, level] + Self.level(level, ticks: 16_383) + [0xF3, 1], tick: 250)
        link.run(for: .random(in: 1_000...700_000, using: &random))
    }

    func begin(_ events: [UInt8], tick: Int) {
        let actuators = random.chance(oneIn: 2) ? all : ActuatorMask(index: 0)
        link.begin(events, tick: tick, on: actuators, start: .after(8_000))
    }

    private func turnGains() {
        for _ in 0..<Int.random(in: 1...30, using: &random) {
            link.session.send(
                .gain(
                    Gain(
                        actuators: all,
                        gain: random.chance(oneIn: 2) ? 255 : .random(in: 0...255, using: &random)))
            )
            link.run(for: .random(in: 0...3_000, using: &random))
        }
        carryOut(.gain(Gain(actuators: all, gain: 255)))
    }

    private func turnMutes() {
        for _ in 0..<Int.random(in: 1...10, using: &random) {
            link.session.mute(all, random.chance(oneIn: 2))
            link.run(for: .random(in: 0...20_000, using: &random))
        }
        link.session.mute(all, false)
    }

    /// Starts a calibration or a diagnosis, which may be interrupted.
    private func measure() {
        let actuator = UInt8.random(in: 0..<UInt8(count), using: &random)
        carryOut(
            random.chance(oneIn: 2) ? .calibrate(actuator: actuator) : .diagnose(actuator: actuator)
        )
        link.run(for: .random(in: 0...1_300_000, using: &random))
    }

    private func stop() {
        link.session.stop()
        link.run(for: .random(in: 0...60_000, using: &random))
    }

    /// Sends a configuration that may exceed the lock in any field.
    private func configure() {
        stop()
        link.run(for: 80_000)
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let actuator = UInt8.random(in: 0..<UInt8(count), using: &random)
            carryOut(.configure(limits.exceeded(using: &random), actuator: actuator))
        }
        link.run(for: 60_000)
    }

    private func lockAgain() {
        carryOut(.lock(actuator: .random(in: 0..<UInt8(count), using: &random)))
    }
}
