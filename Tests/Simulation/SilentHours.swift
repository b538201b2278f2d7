// SilentHours: a run with hours of silence. The run checks that all levels from before the silence
// have ended, and that all levels that are sent afterwards are played.

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import HapticCompiler
import VirtualBoard

final class SilentHours {
    private let hours: Hours
    private var host: HoursHost
    private var violations: [Violation] = []
    private var log: [String] = []
    private let isTraced: Bool
    /// The levels that may be written during and after the silence, with their times.
    private var expected: [(time: BoardTime, level: UInt8)] = []

    /// The levels of a run. The levels `old` are played before the silence. The levels `new` wait
    /// during the silence or are sent afterwards. Successive levels are `spacing` ticks apart.
    private static let old: [UInt8] = [100, 90]
    private static let new: [UInt8] = [200, 210]
    private static let spacing = 40
    private static let tick = BoardTime(BRIDGE_TICK_US)
    /// The interval between the sending of a command and the time that the command specifies.
    private static let lead: BoardTime = 20_000
    private static let tolerance = BoardTime(BRIDGE_LATE_US) + 500
    /// The interval between the last leap and a command that waits during the silence. The interval
    /// is within the range of a REVISE.
    private static let margin: BoardTime = 3_000_000

    init(_ hours: Hours, seed: UInt64, isTraced: Bool) {
        self.hours = hours
        self.isTraced = isTraced
        host = HoursHost(seed: seed)
    }

    func run() -> Verdict {
        host.board.advance(to: 300_000)
        host.leap(hours.before, isHeard: false)
        if hours.place == .noSession {
            host.leap(hours.length, isHeard: false)
            host.connect()
        } else {
            host.connect()
            prepare()
            host.leap(hours.length, most: hours.place == .longRamp ? 40_000 : 8_000_000)
        }
        record("\(hours)")
        judgeRest()
        act()
        host.pass(400_000 + (isAhead ? 2 * Self.margin : 0))
        judgeLevels()
        leave()
        return Verdict(violations: violations, collisions: 0, log: log)
    }

    private var isAhead: Bool { [.beforeStart, .reviseWaits, .longWait].contains(hours.place) }

    private func record(_ what: String) {
        if isTraced { log.append("\(host.now) us: \(what)") }
    }

    private func report(_ what: String) {
        violations.append(Violation(time: host.now, what: "\(what) (\(hours))"))
    }

    // MARK: Before the silence

    /// Brings the stream into the state that the plan prescribes.
    private func prepare() {
        host.say(.open(Open(stream: 0, actuators: [ActuatorMask(index: 0)])))
        switch hours.place {
        case .beforeStart:
            load(Self.old, ends: true)
            expect(Self.old, from: start(after: hours.length + Self.margin))
        case .longWait: prepareWait()
        case .longRamp:
            let ramp = StreamEvent(
                .levelRamp(to: 0, duration: Int(hours.length / Self.tick)), at: Self.spacing * 2)
            load([100], ends: false, more: [ramp])
            start(after: Self.lead)
        case .reviseWaits:
            load(Self.old, ends: true)
            revise(Self.new, after: hours.length + Self.margin)
        case .dry, .ended:
            load(Self.old, ends: hours.place == .ended)
            start(after: Self.lead)
        case .open: load(Self.old, ends: true)
        case .noSession: break
        }
        host.pass(200_000)
        if hours.place != .longRamp { host.board.forgetTrace() }
    }

    /// Prepares a stream that holds level 0 while it waits for its last level.
    private func prepareWait() {
        let wait = Int((hours.length + Self.margin) / Self.tick)
        let last = StreamEvent(.level(60), at: 3 * Self.spacing + wait)
        load([100, 0], ends: false, more: [last, StreamEvent(.end, at: last.tick + 40)])
        let origin = start(after: Self.lead)
        expected = [(origin + BoardTime(last.tick) * Self.tick, 60)]
    }

    // MARK: Messages

    private func code(
        _ levels: [UInt8], ends: Bool, more: [StreamEvent] = []
    ) -> [UInt8] {
        var events = levels.enumerated().map {
            StreamEvent(.level($1), at: ($0 + 1) * Self.spacing)
        }
        events += more
        if ends { events.append(StreamEvent(.end, at: (levels.count + 1) * Self.spacing)) }
        return EventStreamEncoder.encode(events)
    }

    private func load(_ levels: [UInt8], ends: Bool, more: [StreamEvent] = []) {
        host.say(.events(Events(stream: 0, bytes: code(levels, ends: ends, more: more))))
    }

    /// Starts the stream. Returns the time of tick 0.
    @discardableResult
    private func start(after time: BoardTime) -> BoardTime {
        host.pass(20_000)
        let start = Start(stream: 0, isRelative: true, time: UInt32(time))
        return host.say(.start(start)) + time
    }

    private func revise(_ levels: [UInt8], after time: BoardTime) {
        let generation = host.stream.generation &+ 1
        let bytes = code(levels, ends: true)
        let due = host.now + time
        host.say(
            .revise(
                Revise(
                    stream: 0, generation: generation, time: host.board.deviceClock(at: due),
                    level: 0, sharpness: 0, bytes: bytes)))
        expect(levels, from: due)
    }

    private func expect(_ levels: [UInt8], from origin: BoardTime) {
        expected = levels.enumerated().map { index, level in
            (origin + BoardTime((index + 1) * Self.spacing) * Self.tick, level)
        }
    }

    // MARK: After the silence

    private var isOpen: Bool { hours.place != .noSession && !hours.closesStream }

    private func act() {
        switch hours.deed {
        case .events: feed()
        case .revise where isOpen && hours.place != .reviseWaits:
            revise(Self.new, after: Self.lead)
        case .start where hours.place == .open: expect(Self.old, from: start(after: Self.lead))
        case .start: start(after: Self.lead)
        case .stop:
            host.stop()
            expected = []
        default: break
        }
    }

    /// Sends more events. A stream that has run dry resumes at the newest of these levels; a stream
    /// that has ended remains ended.
    private func feed() {
        load(Self.new, ends: false)
        guard hours.place == .dry || hours.place == .longRamp, isOpen else { return }
        expected = [(host.now + 5_000, Self.new.last!)]
    }

    // MARK: Checks

    /// Checks, after the silence, that no actuator is driven and that a stream that ran dry is
    /// closed.
    private func judgeRest() {
        if hours.place == .longRamp {
            judgeRamp()
        } else if host.board.transactions.levels.contains(where: { $0.value != 0 }) {
            report("a level is written during the silence")
        }
        if hours.place != .longRamp, host.board.driveChanges.contains(where: { $0.drive != 0 }) {
            report("drives during the silence")
        }
        host.board.forgetTrace()
        guard hours.closesStream else { return }
        if host.stream.state != BRIDGE_STREAM_CLOSED.rawValue {
            report("a stream has been dry for \(hours.length) us and is not closed")
        }
        let state = bridge_actuator(host.board.core, 0).pointee.state
        if state != BRIDGE_ACTUATOR_AT_REST.rawValue {
            report("is in state \(state) instead of at rest")
        }
    }

    /// Checks that the levels of the ramp decrease step by step to 0.
    private func judgeRamp() {
        let levels = host.board.transactions.levels.map(\.value).drop { $0 == 0 }
        if zip(levels, levels.dropFirst()).contains(where: { $0 < $1 }) {
            report("a falling ramp rises")
        }
        host.pass(60_000)
        if host.board.transactions.levels.last?.value != 0 { report("the ramp does not end") }
    }

    private func judgeLevels() {
        let heard = host.board.transactions.levels.filter { $0.value != 0 }
        record("played \(heard), expected \(expected), rejects \(host.rejects)")
        if heard.map(\.value) != expected.map(\.level) {
            let levels = heard.map(\.value)
            report("levels \(levels) are played instead of \(expected.map(\.level))")
        }
        for (write, due) in zip(heard, expected) {
            let isJoined = hours.deed == .events && !isAhead
            let tolerance = isJoined ? 10 * Self.tolerance : Self.tolerance
            if abs(write.time - due.time) > tolerance {
                report("level \(write.value) is \(write.time - due.time) us late")
            }
        }
        if host.board.transactions.levels.last.map({ $0.value != 0 }) == true {
            report("level \(host.board.transactions.levels.last!.value) is still driven")
        }
    }

    /// Sends nothing to the stopped board. Checks that the board plays nothing after STOP.
    private func leave() {
        host.stop()
        host.pass(200_000)
        host.board.forgetTrace()
        host.leap(600_000_000)
        if host.board.transactions.levels.contains(where: { $0.value != 0 }) {
            report("a level is written after STOP")
        }
    }
}
