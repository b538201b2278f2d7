// Tests of recordings of a board's accelerometer by the library, in virtual time.

import BridgeLink
import CDRV2605Model
import DRV2605
import HapticBridge
import HapticCompiler
import HapticPatterns
import SerialPorts
import TestSupport
import Testing
import ToolSupport
import VirtualBoard

@Suite(.virtualTime) struct BoardRecordingTests {
    /// The models of accelerometers with their kinds on the link.
    static let sensors: [(model: accelerometer_kind, link: SensorKind)] = [
        (ACCELEROMETER_LIS3DH, .lis3dh), (ACCELEROMETER_LIS2DW12, .lis2dw12),
        (ACCELEROMETER_LSM6DSO, .lsm6dso),
    ]

    /// Creates a board with an LRA and an accelerometer.
    private func makeBoard(_ sensor: accelerometer_kind) -> InProcessBoard {
        var options = InProcessBoard.Options()
        options.configuration = ActuatorConfiguration.coinLRA.bytes
        options.sensor = sensor
        return InProcessBoard(options: options)
    }

    private func connect(_ board: InProcessBoard) throws -> HapticBoard {
        let connected = try HapticBoard(VirtualTransport(board))
        try connected.waitUntilSettled()
        return connected
    }

    /// A level of 255 for 100 ms, which begins 100 ms after tick 0.
    private var hold: CompiledPattern {
        HapticCompiler.compile(
            HapticPattern(events: [
                HapticEvent(.hapticContinuous, time: 100_000, duration: 100_000, intensity: 1)
            ]))
    }

    @Test(arguments: sensors, [0.95, 1, 1.05])
    func aPlaybackIsRecordedFromBeforeItsStartUntilAfterItsEnd(
        _ sensor: (model: accelerometer_kind, link: SensorKind), _ clock: Double
    ) throws {
        let device = makeBoard(sensor.model)
        device.sensor.clock_ratio = clock
        let board = try connect(device)
        defer { board.close() }
        #expect(try board.sensor() == sensor.link)
        let recorded = try board.record(.z, playing: hold)
        let result = recorded.acceleration
        #expect(result.sensor == sensor.link && result.axis == .z && result.end == .complete)
        #expect(result.gaps == 0 && result.lost == 0 && result.untimed == 0)
        let rate = result.properties.rate * clock
        #expect(abs(result.rate - rate) < 4 * result.rateError, "\(result.rate) Hz, not \(rate)")
        #expect(result.rateError < 0.001 * rate)
        let samples = recorded.samples
        #expect(samples[0].time < -20_000 && samples[samples.count - 1].time > 500_000)
        let rest = samples.filter { 0..<100_000 ~= $0.time }
        #expect(rest.allSatisfy { abs($0.acceleration - 1) < 0.05 })
        let moved = samples.filter { 130_000..<200_000 ~= $0.time }
        #expect(
            moved.contains { $0.acceleration > 1.5 } && moved.contains { $0.acceleration < 0.5 })
        let after = samples.filter { $0.time > 400_000 }
        #expect(!after.isEmpty && after.allSatisfy { abs($0.acceleration - 1) < 0.05 })
    }

    @Test func aRecordingAloneBeginsNow() throws {
        let board = try connect(makeBoard(ACCELEROMETER_LIS2DW12))
        defer { board.close() }
        for (axis, gravity) in zip(SensorAxis.allCases, [0.0, 0, 1]) {
            let recorded = try board.record(axis, for: .milliseconds(200))
            #expect(recorded.samples.count >= 320 && recorded.axis == axis)
            #expect(recorded.samples.allSatisfy { abs($0.acceleration - gravity) < 0.05 })
        }
    }

    @Test func anAccelerometerThatIsUnpluggedEndsTheRecording() throws {
        let device = makeBoard(ACCELEROMETER_LIS3DH)
        let board = try connect(device)
        defer { board.close() }
        device.onDriveChange = { _ in device.switchSensor(isOn: false) }
        let recorded = try board.record(.z, playing: hold)
        #expect(recorded.acceleration.end == .lost && recorded.playing.progress.isClean)
        #expect(!recorded.samples.contains { $0.time > 110_000 })
    }

    @Test func aPlaybackThatIsStoppedEndsTheRecording() throws {
        let device = makeBoard(ACCELEROMETER_LSM6DSO)
        let board = try connect(device)
        defer { board.close() }
        var isDriven = false
        device.onDriveChange = { isDriven = $0.drive > 0 }
        #expect(throws: CancellationError.self) {
            try board.record(.z, playing: hold) { !isDriven }
        }
        #expect(!isDriven)
        #expect(throws: CancellationError.self) {
            try board.record(.z, for: .seconds(10)) { false }
        }
        #expect(try board.record(.x, for: .milliseconds(20)).end == .complete)
    }

    @Test func whatCannotBeRecordedIsRefused() throws {
        let bare = try connect(makeBoard(ACCELEROMETER_NONE))
        defer { bare.close() }
        #expect(throws: RecordingError.noSensor) { try bare.sensor() }
        #expect(throws: RecordingError.noSensor) { try bare.record(for: .seconds(1)) }
        let board = try connect(makeBoard(ACCELEROMETER_LSM6DSO))
        defer { board.close() }
        let error = #expect(throws: RecordingError.self) { try board.record(for: .seconds(75)) }
        #expect(error?.description == "a recording of this accelerometer can last 74 s at most")
    }
}
