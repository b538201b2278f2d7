// Tests of recordings on simulated microcontrollers with an accelerometer on the bus (SPEC 11). The
// drive must be as exact as without a recording, no sample may be lost, and faults of the sensor
// may end only the recording.

import BridgeLink
import CBridgeProtocol
import DRV2605
import Foundation
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

/// A board with an accelerometer.
private final class SensedRig {
    let rig: ImageRig

    init(_ simulator: BoardSimulator, _ sensor: String) throws {
        rig = try ImageRig(simulator, options: ["--sensor", sensor])
        rig.link.run(for: 20_000)
    }

    var board: LockStepBoard { rig.board }

    var states: [SensorState] {
        rig.link.events.compactMap { if case .sensor(let state, _) = $0 { state } else { nil } }
    }

    var samples: [Samples] {
        rig.link.events.compactMap { if case .samples(let samples) = $0 { samples } else { nil } }
    }

    func record(pairs: UInt16, waits: Bool = false) throws {
        let record = Record(waitsForStream: waits, pairs: pairs)
        #expect(try rig.link.carryOut(.record(record)) == nil)
    }

    /// Plays 308 levels per second. Returns the lateness of each level, in cycles.
    func playLevels(seconds: Int) throws -> [Cycle] {
        try play(seconds: seconds, spacing: 13)
    }

    /// Plays 2,000 levels within a second. Returns the lateness of each level, in cycles.
    func playDensely() throws -> [Cycle] { try play(seconds: 1, spacing: 2) }

    /// Plays levels with a distance of `spacing` ticks of 250 us.
    private func play(seconds: Int, spacing: Int) throws -> [Cycle] {
        let count = seconds * 1_000_000 / (spacing * 250)
        let events =
            (0..<count).map { index in
                StreamEvent(.level(UInt8(40 + index % 2)), at: Ticks(index * spacing))
            } + [StreamEvent(.end, at: Ticks(count * spacing))]
        board.forgetTrace()
        rig.link.begin(EventStreamEncoder.encode(events), start: .after(60_000))
        rig.link.run(for: 40_000)
        let start = try #require(board.trace.cycle(ofDeviceClock: rig.link.stream().startTime))
        rig.link.run(limit: BoardTime(seconds) * 1_000_000 + 1_000_000) {
            $0.current?.outcome != nil
        }
        let writes = board.trace.transactions.filter { $0.level == 40 || $0.level == 41 }
        #expect(writes.count == count)
        let step = board.simulator.cycles(BoardTime(spacing * 250))
        return writes.enumerated().map { $1.start - start - Cycle($0) * step }
    }

    /// Checks that the samples are numbered consecutively, without gaps. Returns their number.
    func checkedCount() -> Int {
        var next: UInt16 = 0
        for message in samples {
            guard message.number == next, message.gaps == 0 else {
                Issue.record("number \(message.number) instead of \(next), gaps \(message.gaps)")
                break
            }
            next &+= UInt16(message.values.count)
        }
        return samples.map(\.values.count).reduce(0, +)
    }
}

@Suite struct SensorImageTests {
    static let sensors = ["lis3dh", "lis2dw12", "lsm6dso"]

    /// The length of a recording, in seconds; a minute in the complete proof.
    static var seconds: Int { ProcessInfo.processInfo.environment["BRIDGE_PROOF"] == nil ? 4 : 60 }

    @Test(arguments: BoardSimulator.here, zip(sensors, [1, 2, 3] as [UInt8]).map { $0 })
    func theSensorIsFound(_ simulator: BoardSimulator, _ sensor: (String, UInt8)) throws {
        let rig = try SensedRig(simulator, sensor.0)
        try rig.record(pairs: 100)
        rig.rig.link.run(limit: 500_000) { _ in rig.states.last?.recording == .complete }
        #expect(
            rig.states.last
                == SensorState(kind: SensorKind(rawValue: sensor.1), recording: .complete))
        rig.rig.link.run(for: 20_000)
        #expect(rig.checkedCount() == 200)
        let step = try #require(SensorProperties(of: SensorKind(rawValue: sensor.1))).step
        let values = rig.samples.flatMap(\.values).map { Double($0) * step }
        #expect(values.allSatisfy { abs($0 - 1) < 0.05 }, "\(values.prefix(8))")
        #expect(rig.board.sensorFindings == (lost: 0, undefinedAccesses: 0))
        try rig.rig.connect()
        #expect(rig.rig.welcome?.features.contains(.sensor) == true)
    }

    /// Compares the onsets of 308 levels per second with and without a recording. The clock of the
    /// sensor is 5 % fast.
    @Test(arguments: BoardSimulator.here, sensors)
    func aRecordingLosesNoSampleAndDelaysNoLevel(_ simulator: BoardSimulator, _ sensor: String)
        throws
    {
        let rig = try SensedRig(simulator, sensor)
        let without = try rig.playLevels(seconds: 2).sorted()
        rig.board.setSensorClock(thousandths: 1_050)
        let seconds = Self.seconds
        try rig.record(pairs: UInt16(seconds * 700))
        let with = try rig.playLevels(seconds: seconds).sorted()
        rig.rig.link.run(limit: 20_000_000) { _ in rig.states.last?.recording == .complete }
        rig.rig.link.run(for: 50_000)
        #expect(rig.states.last?.recording == .complete)
        #expect(rig.checkedCount() == seconds * 1_400)
        #expect(rig.board.sensorFindings == (lost: 0, undefinedAccesses: 0))
        let tolerance = Cycle(0.2 * Double(simulator.cyclesPerMicrosecond))
        let medians = (without[without.count / 2], with[with.count / 2])
        #expect(abs(medians.0 - medians.1) <= tolerance, "p50 \(medians) cycles")
        #expect(with.last! - without.last! <= tolerance, "max \(without.last!) \(with.last!)")
        #expect(try rig.rig.link.status().faults == [])
        print(
            "recording \(simulator.name) \(sensor): onset p50 \(medians.0) to \(medians.1),",
            "max \(without.last!) to \(with.last!) cycles; stack \(rig.board.stackBytes)")
    }

    @Test(arguments: BoardSimulator.here)
    func aStopDuringARecordingIsAsPromptAsWithout(_ simulator: BoardSimulator) throws {
        let rig = try SensedRig(simulator, "lis2dw12")
        try rig.record(pairs: 60_000)
        var worst: BoardTime = 0
        for trial in 0..<20 {
            rig.rig.hold(200, for: 3_000_000)
            rig.rig.link.run(for: 80_000 + BoardTime(trial * 370))
            #expect(rig.board.driveChanges.last?.drive ?? 0 > 0)
            let asked = rig.board.now
            rig.rig.link.session.stop()
            rig.rig.link.run(limit: 100_000) { _ in rig.board.driveChanges.last?.drive == 0 }
            worst = max(worst, try #require(rig.board.driveChanges.last).time - asked)
            rig.rig.link.run(for: 100_000)
        }
        #expect(worst < 3_500, "\(worst) us")
        #expect(rig.states.last?.recording == .running)
    }

    @Test(arguments: BoardSimulator.here)
    func theDeadManEndsThePlayingDuringARecording(_ simulator: BoardSimulator) throws {
        let rig = try SensedRig(simulator, "lis3dh")
        try rig.record(pairs: 60_000)
        rig.rig.hold(200, for: 3_000_000)
        rig.rig.link.run(for: 100_000)
        let silence = rig.board.now
        rig.board.advance(to: silence + 400_000)
        let last = try #require(rig.board.driveChanges.last)
        #expect(last.drive == 0 && last.time - silence < 260_000)
    }

    @Test(arguments: BoardSimulator.here)
    func anUnpluggedSensorEndsTheRecordingAndNothingElse(_ simulator: BoardSimulator) throws {
        let rig = try SensedRig(simulator, "lis3dh")
        try rig.record(pairs: 60_000)
        let before = try rig.playLevels(seconds: 1).max()!
        rig.board.switchSensor(isOn: false)
        let after = try rig.playLevels(seconds: 1).max()!
        #expect(abs(before - after) <= Cycle(0.2 * Double(simulator.cyclesPerMicrosecond)))
        #expect(rig.states.last == SensorState(kind: .none, recording: .lost))
        let status = try rig.rig.link.status()
        #expect(status.faults == [] && status.busErrors == 0)
        // In a new session, the board finds the sensor again.
        rig.board.switchSensor(isOn: true)
        try rig.rig.connect()
        rig.rig.link.run(for: 20_000)
        try rig.record(pairs: 10)
    }

    /// Levels every 500 us leave no gap for the transfers of the accelerometer, whose FIFO overflows.
    /// The levels are as exact as without a recording, and the recording reports the gap and
    /// continues.
    @Test(arguments: BoardSimulator.here)
    func anOverrunIsReportedAndDelaysNoLevel(_ simulator: BoardSimulator) throws {
        let rig = try SensedRig(simulator, "lis3dh")
        let without = try rig.playDensely()
        try rig.record(pairs: 60_000)
        rig.rig.link.run(for: 50_000)
        #expect(rig.samples.last?.gaps == 0)
        let with = try rig.playDensely()
        let tolerance = Cycle(0.2 * Double(simulator.cyclesPerMicrosecond))
        #expect(with.max()! - without.max()! <= tolerance, "\(with.max()!), \(without.max()!)")
        rig.rig.link.run(for: 100_000)
        #expect(rig.board.sensorFindings.lost > 0)
        #expect(rig.samples.last?.gaps ?? 0 > 0)
        #expect(rig.states.last?.recording == .running)
        #expect(try rig.rig.link.status().faults == [])
        let count = rig.samples.count
        rig.rig.link.run(for: 100_000)
        #expect(rig.samples.count >= count + 10)
    }

    @Test(arguments: BoardSimulator.here)
    func anotherChipAtTheAddressIsNoSensor(_ simulator: BoardSimulator) throws {
        let rig = try ImageRig(simulator, options: ["--sensor", "lis3dh"])
        rig.board.setSensorID(0x55)
        rig.board.reset()
        rig.board.advance(to: rig.board.now + simulator.startTime)
        try rig.connect()
        rig.link.run(for: 50_000)
        #expect(rig.welcome?.features.contains(.sensor) == false)
        let reject = try rig.link.carryOut(.record(Record(pairs: 10)))
        #expect(reject?.code == .unsupported)
    }

    /// Checks that a stuck bus during a recording stops the drive as without a recording, and ends
    /// the recording.
    @Test(arguments: BoardSimulator.here)
    func aStuckBusSwitchesTheChipOffAndEndsTheRecording(_ simulator: BoardSimulator) throws {
        let rig = try SensedRig(simulator, "lsm6dso")
        try rig.record(pairs: 60_000)
        rig.rig.hold(200, for: 3_000_000)
        rig.rig.link.run(for: 100_000)
        rig.board.busIsStuck(true)
        rig.rig.link.run(for: 200_000)
        #expect(!rig.board.isEnabled)
        #expect(rig.states.last?.recording == .lost)
        #expect(try rig.rig.link.status().faults.contains(.bus))
    }
}
