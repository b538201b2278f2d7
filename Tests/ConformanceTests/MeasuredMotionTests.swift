// Tests that the actuator itself moves and comes to rest as SPEC requires, as measured by an
// accelerometer on the bus (SPEC 11). A real board takes part if it has an accelerometer.

import BridgeLink
import HapticCompiler
import Prediction
import TestSupport
import Testing

/// A board with an accelerometer, which records while the test drives the actuator.
private struct MovedRig {
    let rig: Rig
    /// The accelerometer.
    private let sensor: SensorKind
    private let properties: SensorProperties
    private let axis: SensorAxis

    /// The time that a recording lasts, in seconds.
    static let length = 1.2

    /// Connects again, because the board searches for the accelerometer when the first session
    /// begins. Returns nil if a real board has no accelerometer.
    init?(_ rig: Rig) throws {
        let welcome = try rig.connect()
        guard welcome.features.contains(.sensor) || rig.kind != .real else { return nil }
        #expect(welcome.features.contains(.sensor))
        self.rig = rig
        let sensor = try rig.link.sensor().kind
        self.sensor = sensor
        properties = try #require(SensorProperties(of: sensor))
        axis = try rig.link.configuration().kind == .erm ? .x : .z
    }

    /// Returns the time that the actuator may take to come to rest, in microseconds.
    func restTime() throws -> Double {
        100_000 + 1_100 * Double(try rig.link.actuator().brake)
    }

    /// Records while `body` drives the actuator. Returns the measured motion, whose time 0 is the
    /// device time before the drive, and that device time.
    func motion(
        _ body: () throws -> Void
    ) throws -> (signal: MotionSignal, envelope: MotionEnvelope, start: UInt32) {
        let count = Int(Self.length * properties.rate)
        let before = rig.link.events.count
        let record = Record(axis: axis.number, pairs: UInt16(count / 2))
        #expect(try rig.link.carryOut(.record(record)) == nil)
        rig.link.run(for: 60_000)
        let start = try rig.link.status().clock
        try body()
        var recording = SensorRecording(of: properties)
        var next = before
        rig.link.run(limit: 3_000_000) { link in
            for case .samples(let samples) in link.events[next...] { recording.append(samples) }
            next = link.events.count
            return recording.next >= count / 2 * 2
        }
        let recorded = try #require(
            RecordedAcceleration(
                recording, of: sensor, axis, end: .complete, expected: count / 2 * 2))
        #expect(recorded.lost == 0 && recorded.gaps == 0)
        let signal = try #require(
            MotionSignal(recorded.samples(since: start), range: properties.range))
        return (signal, MotionEnvelope(ofMotor: signal), start)
    }
}

@Suite struct MeasuredMotionTests {
    /// The boards whose models have an accelerometer, and the real board.
    static let boards = [ConformanceBoard.virtual, .simulated, .simulatedPico, .real].filter {
        $0.absence == nil
    }

    /// Runs a test on a board with an accelerometer. Does nothing on a real board that has none.
    private func test(
        _ board: ConformanceBoard, _ body: sending @escaping (MovedRig) throws -> Void
    ) async throws {
        try await board.test(options: board == .real ? [] : ["--sensor", "lis2dw12"]) { rig in
            if let moved = try MovedRig(rig) { try body(moved) }
        }
    }

    @Test(arguments: boards)
    func theAmplitudeFollowsTheLevel(_ board: ConformanceBoard) async throws {
        let levels: [(level: UInt8, tick: Ticks)] = [(255, 0), (128, 1_200), (0, 2_400)]
        let events =
            levels.map { StreamEvent(.level($0.level), at: $0.tick) }
            + [StreamEvent(.end, at: 2_410)]
        try await test(board) { moved in
            var begun: UInt32 = 0
            let (_, envelope, start) = try moved.motion {
                begun = try moved.rig.begin(EventStreamEncoder.encode(events))
                moved.rig.link.run(for: 800_000)
            }
            let offset = Double(begun &- start)
            let means = [150_000.0, 450_000, 800_000].map {
                envelope.mean(in: (offset + $0)..<(offset + $0 + 140_000))
            }
            #expect(means[0] > 0.05, "at full level, \(means) g")
            #expect(0.25...0.9 ~= means[1] / means[0], "at half of the level, \(means) g")
            #expect(means[2] < 0.1 * means[0], "at level 0, \(means) g")
        }
    }

    @Test(arguments: boards)
    func theMotionEndsAfterAStop(_ board: ConformanceBoard) async throws {
        try await test(board) { moved in
            var stopped: UInt32 = 0
            let (signal, envelope, start) = try moved.motion {
                let begun = try moved.rig.begin(StreamSample.held)
                try moved.rig.run(to: begun &+ 300_000)
                stopped = try moved.rig.link.status().clock
                try moved.rig.link.stop()
            }
            let end = Double(stopped &- start)
            let rest = try #require(envelope.rest(after: end, noise: signal.noise))
            let most = try moved.restTime()
            #expect(rest - end <= most, "\(rest - end) us after STOP")
            print("motion of \(board) ended \(rest - end) us after STOP")
        }
    }

    @Test(arguments: boards)
    func theMotionEndsAfterTheDeadMan(_ board: ConformanceBoard) async throws {
        try await test(board) { moved in
            var silent: UInt32 = 0
            let (signal, envelope, start) = try moved.motion {
                let begun = try moved.rig.begin(StreamSample.held)
                try moved.rig.run(to: begun &+ 300_000)
                silent = try moved.rig.link.status().clock
                moved.rig.beSilent(for: 500_000)
            }
            let end = Double(silent &- start)
            let rest = try #require(envelope.rest(after: end, noise: signal.noise))
            let most = try 250_000 + moved.restTime()
            #expect(200_000...most ~= rest - end, "\(rest - end) us after the last message")
            print("motion of \(board) ended \(rest - end) us after the last message")
        }
    }
}
