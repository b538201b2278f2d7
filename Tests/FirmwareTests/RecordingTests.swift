// RecordingTests: the search for an accelerometer, and recordings (SPEC 11).

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model
import Testing
import VirtualBoard

extension InProcessBoard {
    static func sensing(
        _ kind: accelerometer_kind, _ change: (inout Options) -> Void = { _ in }
    ) -> InProcessBoard {
        .tested {
            $0.sensor = kind
            change(&$0)
        }
    }
}

extension Bench {
    /// The SENSOR_STATE messages since the start of the test.
    var sensorStates: [SensorState] {
        heard.compactMap { if case .sensor(let state) = $0.message { state } else { nil } }
    }

    /// The SAMPLES messages since the start of the test.
    var samples: [Samples] {
        heard.compactMap { if case .samples(let samples) = $0.message { samples } else { nil } }
    }

    /// Records a number of pairs of samples, and waits until the recording has ended.
    func record(pairs: UInt16, trigger: UInt8 = 0) {
        #expect(command(0x4E, [2, trigger, UInt8(pairs & 0xFF), UInt8(pairs >> 8)]) == nil)
        run(limit: BoardTime(pairs) * 3_000 + 100_000) {
            sensorStates.last?.recording.isOver == true
        }
        run(for: 10_000)
    }

    var recorded: Int { samples.map(\.values.count).reduce(0, +) }
}

extension Heard {
    var message: Message? { try? Message(type: frame.type, payload: frame.payload) }
}

@Suite("Recordings")
struct RecordingTests {
    static let kinds = [ACCELEROMETER_LIS3DH, ACCELEROMETER_LIS2DW12, ACCELEROMETER_LSM6DSO]

    @Test(arguments: zip(kinds, [1, 2, 3] as [UInt8]))
    func theSensorIsFoundAtTheStart(_ kind: accelerometer_kind, _ code: UInt8) throws {
        let bench = Bench(.sensing(kind))
        bench.run(for: 100_000)
        bench.connect()
        let welcome = try #require(
            bench.heard.compactMap { heard -> Welcome? in
                if case .welcome(let welcome) = heard.message { welcome } else { nil }
            }.first)
        #expect(welcome.features.contains(.sensor))
        bench.ask(0x27, tag: 9)
        let answer = try #require(bench.heard.last { $0.frame.type == .sensorState })
        #expect(answer.frame.sequence == 9 && answer.frame.payload == [code, 0])
    }

    @Test func atTheSecondAddressTheSensorIsFoundAsWell() {
        let bench = Bench(.sensing(ACCELEROMETER_LSM6DSO))
        bench.board.sensor.address = 0x6B
        bench.run(for: 100_000)
        bench.connect()
        bench.ask(0x27)
        #expect(bench.sensorStates.last == SensorState(kind: .lsm6dso, recording: .none))
        let reads = bench.board.sensorTransactions.map(\.bytes)
        #expect(reads == [[0x30], [0x32], [0xD4], [0xD6, 0x0F, 0xD7, 0x6C]])
    }

    @Test func withoutASensorRecordIsRejected() {
        let bench = Bench(.tested())
        bench.run(for: 100_000)
        bench.connect()
        bench.ask(0x27)
        #expect(bench.sensorStates.last == SensorState(kind: .none, recording: .none))
        #expect(bench.command(0x4E, [2, 0, 10, 0])?.code == .unsupported)
    }

    @Test func anotherChipAtTheAddressIsNoSensor() {
        let bench = Bench(.sensing(ACCELEROMETER_LIS3DH))
        bench.board.sensor.who_am_i = 0x32
        bench.run(for: 100_000)
        bench.connect()
        #expect(bench.command(0x4E, [2, 0, 10, 0])?.code == .unsupported)
        // In a new session, the board searches for the accelerometer again.
        bench.board.sensor.who_am_i = 0x33
        bench.connect(session: 0x2222_2222)
        #expect(bench.command(0x4E, [2, 0, 10, 0]) == nil)
    }

    @Test func hostileValuesAreRejected() {
        let bench = Bench(.sensing(ACCELEROMETER_LIS3DH))
        bench.run(for: 100_000)
        bench.connect()
        let range = bench.command(0x4E, [3, 0, 10, 0])
        #expect(range == Reject(type: .record, code: .range, offset: 0, limit: 2))
        let trigger = bench.command(0x4E, [2, 2, 10, 0])
        #expect(trigger == Reject(type: .record, code: .range, offset: 1, limit: 1))
        #expect(bench.command(0x4E, [2, 0, 10])?.code == .length)
        #expect(bench.command(0x4E, [2, 0, 0, 0]) == nil)
        #expect(bench.command(0x4E, [2, 0, 0xFF, 0xFF]) == nil)
        #expect(bench.command(0x4E, [2, 0, 10, 0])?.code == .inUse)
        #expect(bench.command(0x4E, [2, 0, 0, 0]) == nil)
        bench.run(for: 20_000)
        #expect(bench.sensorStates.last?.recording == .ended)
        #expect(bench.command(0x4E, [2, 0, 10, 0]) == nil)
    }

    @Test(arguments: kinds)
    func aRecordingHasAllItsSamplesWithRunningNumbers(_ kind: accelerometer_kind) throws {
        let bench = Bench(.sensing(kind))
        bench.board.sensor.noise_g = 0
        bench.run(for: 100_000)
        bench.connect()
        bench.record(pairs: 500)
        #expect(bench.sensorStates.last?.recording == .complete)
        #expect(bench.recorded == 1_000 && bench.board.sensor.lost == 0)
        var next = 0
        for message in bench.samples {
            #expect(Int(message.number) == next && message.gaps == 0)
            next += message.values.count
        }
        let found = try #require(bench.sensorStates.last).kind
        let properties = try #require(SensorProperties(of: found))
        let values = bench.samples.flatMap(\.values).map { Double($0) * properties.step }
        #expect(values.allSatisfy { abs($0 - 1) < 0.02 }, "\(values.prefix(8))")
        #expect(bench.board.sensor.undefined_accesses == 0)
    }

    @Test func theSensorIsSwitchedOffAfterARecording() {
        let bench = Bench(.sensing(ACCELEROMETER_LIS2DW12))
        bench.run(for: 100_000)
        bench.connect()
        bench.record(pairs: 3)
        #expect(bench.board.sensorTransactions.last?.bytes == [0x30, 0x20, 0x00])
        let samples = bench.board.sensor.samples
        bench.run(for: 100_000)
        #expect(bench.board.sensor.samples == samples)
        bench.record(pairs: 3)
        #expect(bench.recorded == 12 && bench.samples.last?.number == 0)
    }

    @Test func aRecordingCanWaitForAStream() throws {
        let bench = Bench(.sensing(ACCELEROMETER_LSM6DSO))
        bench.run(for: 100_000)
        bench.connect()
        #expect(bench.command(0x4E, [2, 1, 200, 0]) == nil)
        bench.run(for: 500_000)
        #expect(bench.sensorStates.last?.recording == .armed && bench.samples.isEmpty)
        bench.command(0x40, [0, 1, 0, 0, 0])
        bench.command(0x44, [0, 0, 0x90, 0xFF, 0x80, 0xF1, 0x64, 0])
        bench.command(0x42, [0, 0, 1, 0x50, 0xC3, 0, 0, 0, 0, 0, 0xFA])
        bench.run(limit: 1_000_000) { bench.sensorStates.last?.recording == .complete }
        #expect(bench.sensorStates.suffix(2).map(\.recording) == [.running, .complete])
        #expect(bench.recorded == 400)
    }

    @Test func anUnpluggedSensorEndsTheRecordingAndNotThePlaying() {
        let bench = Bench(.sensing(ACCELEROMETER_LIS3DH))
        bench.run(for: 100_000)
        bench.connect()
        #expect(bench.command(0x4E, [2, 0, 0xFF, 0xFF]) == nil)
        bench.command(0x40, [0, 1, 0, 0, 0])
        bench.command(0x44, [0, 0, 0xB0, 200, 0xF1, 0xA0, 0x1F, 0x00])
        bench.command(0x42, [0, 0, 1, 0x50, 0xC3, 0, 0, 0, 0, 0, 0xFA])
        bench.run(for: 200_000)
        bench.board.switchSensor(isOn: false)
        bench.run(for: 100_000)
        #expect(bench.sensorStates.last == SensorState(kind: .none, recording: .lost))
        #expect(bench.board.driveChanges.last?.drive ?? 0 > 0)
        #expect(bench.core.faults == 0 && bench.core.counters.bus_errors == 0)
        bench.ask(0x10, [1, bench.sequence, 0, 0])
        bench.run(for: 100_000)
        #expect(bench.board.driveChanges.last?.drive == 0)
    }

    @Test func aFIFOThatOverflowsIsCountedAsAGap() {
        let bench = Bench(.sensing(ACCELEROMETER_LIS2DW12))
        bench.run(for: 100_000)
        bench.connect()
        #expect(bench.command(0x4E, [2, 0, 0, 4]) == nil)
        bench.run(for: 100_000)
        #expect(bench.samples.last?.gaps == 0)
        // For 60 ms, levels at intervals of 500 us leave no gap for a transfer of a block.
        var events: [UInt8] = [0xB0, 1]
        for index in 0..<120 as Range<UInt8> { events += [0xB1, 2, 40 + index % 2] }
        bench.play(events + [0xF0, 0])
        bench.run(for: 300_000)
        #expect(bench.board.sensor.lost > 0)
        #expect(bench.samples.last?.gaps ?? 0 > 0)
    }

    /// A fault during a recording: levels every 500 us cause an overrun, because they leave no gap
    /// for a block, and levels every 2 ms leave gaps.
    enum Fault: CaseIterable {
        case none, unplugged, overrun

        var spacing: UInt8 { self == .overrun ? 2 : 8 }
    }

    /// Plays 100 levels, and returns the times at which the drive changed, from the start of the
    /// stream, with the state of the recording at the end.
    private func play(_ fault: Fault, isRecorded: Bool) -> (
        times: [BoardTime], state: RecordingState?, gaps: UInt8?
    ) {
        let bench = Bench(.sensing(ACCELEROMETER_LIS3DH))
        bench.run(for: 100_000)
        bench.connect()
        if isRecorded { #expect(bench.command(0x4E, [2, 0, 0xFF, 0xFF]) == nil) }
        var events: [UInt8] = [0xB0, 1]
        for index in 0..<100 as Range<UInt8> { events += [0xB1, fault.spacing, 40 + index % 2] }
        let start = bench.play(events + [0xF0, 0])
        bench.run(to: start + 50 * 250 * BoardTime(fault.spacing))
        if fault == .unplugged { bench.board.switchSensor(isOn: false) }
        bench.run(for: 300_000)
        bench.ask(0x27)
        #expect(bench.core.faults == 0 && bench.core.counters.bus_errors == 0)
        return (
            bench.board.driveChanges.filter { $0.time >= start }.map { $0.time - start },
            bench.sensorStates.last?.recording, bench.samples.last?.gaps
        )
    }

    @Test(arguments: Fault.allCases)
    func noFaultOfTheSensorDelaysALevel(_ fault: Fault) {
        let (with, without) = (play(fault, isRecorded: true), play(fault, isRecorded: false))
        #expect(with.times == without.times && with.times.count >= 100)
        #expect(with.state == (fault == .unplugged ? .lost : .running))
        #expect((with.gaps ?? 0 > 0) == (fault != .none))
    }

    /// A bus on which every transfer fails stops the drive as without a recording.
    @Test func aBusThatFailsEndsTheRecordingAndDisablesTheChip() {
        let bench = Bench(.sensing(ACCELEROMETER_LIS3DH))
        bench.run(for: 100_000)
        bench.connect()
        #expect(bench.command(0x4E, [2, 0, 0xFF, 0xFF]) == nil)
        bench.play([0xB0, 200, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(for: 100_000)
        bench.board.switchSensor(isOn: false)
        drv2605_model_inject_nack(bench.chip, 10_000)
        bench.run(for: 200_000)
        #expect(bench.sensorStates.last == SensorState(kind: .none, recording: .lost))
        #expect(bridge_enabled(bench.board.core) == 0)
        #expect(bench.core.faults & UInt16(BRIDGE_FAULT_BUS) != 0)
    }

    @Test func aNewSessionEndsTheRecordingAndDiscardsItsSamples() {
        let bench = Bench(.sensing(ACCELEROMETER_LIS3DH))
        bench.run(for: 100_000)
        bench.connect()
        #expect(bench.command(0x4E, [2, 0, 0xFF, 0xFF]) == nil)
        bench.run(for: 50_000)
        bench.connect(session: 0x3333_3333)
        let count = bench.samples.count
        bench.run(for: 50_000)
        #expect(bench.samples.count == count && bench.sensorStates.last?.recording == .ended)
    }
}
