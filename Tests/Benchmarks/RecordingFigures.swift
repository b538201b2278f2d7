// Figures for recordings on the boards, with each accelerometer on the bus (SPEC 11): the onsets of
// levels during a recording, compared with the onsets without a recording, and the lost samples.
// The committed images run on simulated microcontrollers in lock-step.

import BridgeLink
import HapticCompiler
import TestSupport
import VirtualBoard

struct RecordingFigures {
    /// The names of the accelerometers in the simulator.
    private static let sensors: [(name: String, kind: SensorKind)] = [
        ("lis3dh", .lis3dh), ("lis2dw12", .lis2dw12), ("lsm6dso", .lsm6dso),
    ]
    /// The length of a playback during a recording, in seconds.
    private static let seconds = 60
    /// The rate of the accelerometer's clock, in thousandths of the nominal rate: the maximum that
    /// the data sheet permits.
    private static let clockThousandths = 1_050
    private static let tick: BoardTime = 250
    /// The interval between levels in ticks: 308 levels per second.
    private static let spacing = 13

    static func print() throws {
        for simulator in SimulatedBoard.here {
            for sensor in sensors {
                note("recording on the simulated \(simulator.name): \(sensor.name)")
                let board = try SimulatedBoard(
                    simulator, age: 1_000_000, options: ["--sensor", sensor.name])
                try RecordingFigures(board: board, kind: sensor.kind)
                    .print(sensor.name + simulator.figureSuffix)
            }
        }
    }

    let board: SimulatedBoard
    let kind: SensorKind

    private func print(_ suffix: String) throws {
        let without = try onsets(seconds: 5)
        board.board.setSensorClock(thousandths: Self.clockThousandths)
        let pairs = try record()
        let with = try onsets(seconds: Self.seconds)
        board.link.run(limit: 10_000_000) { _ in isComplete }
        board.link.run(for: 50_000)
        guard isComplete else { throw board.failure("does not complete the recording") }
        for (name, part) in [("p50", 0.5), ("max", 1)] {
            printFigure("recording_onset_us_\(name)_\(suffix)", with.percentile(part), "us")
            printFigure(
                "recording_onset_us_\(name)_change_\(suffix)",
                with.percentile(part) - without.percentile(part), "us")
        }
        printFigure("recording_samples_lost_\(suffix)", lost(of: 2 * pairs), "samples")
    }

    /// Starts a recording that is longer than the playback. Returns its number of pairs.
    private func record() throws -> Int {
        guard let rate = SensorProperties(of: kind)?.rate else {
            throw board.failure("has no accelerometer")
        }
        let pairs = Int(rate) * Self.clockThousandths / 1_000 * (Self.seconds + 1) / 2
        guard try board.link.carryOut(.record(Record(pairs: UInt16(pairs)))) == nil else {
            throw board.failure("rejects the recording")
        }
        return pairs
    }

    private var isComplete: Bool {
        board.link.events.contains {
            if case .sensor(let state, _) = $0 { state.recording == .complete } else { false }
        }
    }

    /// Plays levels, and returns the deviations of their onsets.
    private func onsets(seconds: Int) throws -> Deviations {
        let count = seconds * 1_000_000 / (Self.spacing * Int(Self.tick))
        let events = [StreamEvent].differingLevels(count, ticksApart: Self.spacing, seed: 11)
        board.board.forgetTrace()
        try board.play(events, tick: Self.tick, fillsWire: false)
        return Deviations(try board.deviations(of: events, tick: Self.tick).map(\.start))
    }

    /// Returns the number of samples that are missing from the messages or that the accelerometer
    /// has discarded. A gap counts as one sample, because its length is unknown.
    private func lost(of expected: Int) -> Int {
        let messages = board.link.events.compactMap {
            if case .samples(let samples) = $0 { samples } else { nil }
        }
        let received = messages.map(\.values.count).reduce(0, +)
        return board.board.sensorFindings.lost + (expected - received)
            + Int(messages.last?.gaps ?? 0)
    }
}
