// Tests that `bridge accept` compares the stream that was sent with the levels that sigrok-cli
// decodes from the wires of a simulated board, and names each difference.

import BridgeLink
import Foundation
import TestSupport
import Testing
import ToolSupport

@testable import AcceptanceReports
@testable import bridge

@Suite(
    .enabled(
        if: InstalledProgram.find("sigrok-cli") != nil || ConformanceBoard.simulated.isRequired,
        "sigrok-cli is not installed"))
struct BusWitnessTests {
    private let folder = Folder()

    /// One recording of each board, which the tests share because each recording takes seconds.
    private static let recordings = BoardSimulator.here.map { simulator in
        Result { try WireRecording(simulator) }
    }
    private static let boards = BoardSimulator.here.indices

    private func file(_ recording: WireRecording, _ name: String = "bus.vcd") throws -> String {
        try folder.write(name, recording.text)
    }

    /// Compares a recording with its report. Returns the results of the checks.
    private func checks(_ recording: WireRecording) throws -> [AcceptanceCheck] {
        let capture = try BusCapture(try file(recording))
        let step = recording.report.steps[0]
        return try BusWitness(capture, step, of: recording.report.board, in: "report.json").checks
    }

    /// Returns the tool's error for a file that is rejected.
    private func refusal(_ path: String, _ wires: Wires? = nil) throws -> ToolError {
        try #require(throws: ToolError.self) { _ = try BusCapture(path, wires) }
    }

    // MARK: Captures without a fault

    @Test(arguments: boards)
    func everyLevelIsFoundAtItsTime(_ board: Int) throws {
        let recording = try Self.recordings[board].get()
        let capture = try BusCapture(try file(recording))
        // The capture begins before the first write in the trace.
        let writes = capture.writes.suffix(recording.levels.count)
        #expect(writes.map(\.value) == recording.levels.compactMap(\.level))
        let durations = zip(writes, recording.levels).map { write, level in
            recording.simulator.microseconds(level.stop) - write.time
        }
        #expect(durations.allSatisfy { 67...100 ~= $0 }, "\(durations)")
        let checks = try checks(recording)
        #expect(checks.allSatisfy { $0.verdict == .passed }, "\(checks.flatMap(\.lines))")
        #expect(checks[0].value ?? 0 >= 20 && checks[2].value ?? 100 < 60)
    }

    /// Checks that each transfer ends at the cycle that the trace records.
    @Test(arguments: boards)
    func theTimesAreThoseOfTheTrace(_ board: Int) throws {
        let recording = try Self.recordings[board].get()
        let text = try LogicAnalyzer.output(
            of: [
                "-i", try file(recording), "-P", "i2c:scl=SCL:sda=SDA", "-A",
                "i2c=data-write:stop", "--protocol-decoder-samplenum",
            ], about: "bus.vcd")
        let stops = text.split(separator: "\n").filter { $0.hasSuffix("Stop") }
            .compactMap { Double($0.prefix { $0 != "-" }) }
        for level in recording.levels {
            let time = recording.simulator.microseconds(level.stop) / WireRecording.unit
            #expect(stops.contains { abs($0 - time) <= 1 }, "\(level)")
        }
    }

    @Test(arguments: boards, [-6_000.0, -400, 400, 6_000])
    func theClocksOfTheAnalyzerAndTheBoardMayDiffer(_ board: Int, ppm: Double) throws {
        var recording = try Self.recordings[board].get()
        let start =
            Double(recording.levels[0].stop) / Double(recording.simulator.cyclesPerMicrosecond)
        recording.record(slowBy: ppm, after: Int(start * 10) - 5_000)
        let checks = try checks(recording)
        #expect(checks.allSatisfy { $0.verdict == .passed }, "\(checks.flatMap(\.lines))")
        #expect(abs(try #require(checks[3].value) - ppm) < 50, "\(checks[3])")
    }

    @Test(arguments: BoardSimulator.here)
    func theLevelsOfSeveralActuatorsAreThoseOfTheirChannels(_ simulator: BoardSimulator) throws {
        let recording = try WireRecording(simulator, isSeveral: true)
        let checks = try checks(recording)
        #expect(checks.allSatisfy { $0.verdict == .passed }, "\(checks.flatMap(\.lines))")
        #expect(checks.count == 4 * simulator.severalActuators)
    }

    @Test(arguments: boards)
    func theToolAddsTheCaptureToTheReport(_ board: Int) throws {
        let recording = try Self.recordings[board].get()
        let report = folder.path("report.json")
        try recording.report.write(to: report)
        let outcome = try Tool.bridge("accept", report, "--capture", try file(recording))
        #expect(outcome.status == 0, "\(outcome)")
        let step = try AcceptanceReport(path: report).steps[0]
        #expect(step.verdict == .passed && step.checks.count == 4)
        #expect(try #require(step.levels).count >= Int(step.checks[0].value ?? 0))
        var changed = recording
        changed.remove(recording.levels[recording.levels.count / 2])
        let again = try Tool.bridge("accept", report, "--capture", try file(changed))
        #expect(again.status == 74, "\(again)")
        #expect(try AcceptanceReport(path: report).steps[0].checks.count == 4)
    }

    // MARK: Faults

    /// Returns the first tap of a recording.
    private func tap(_ recording: WireRecording) -> CycleTrace.Transaction {
        recording.levels.first { transfer in
            let rest = recording.levels.drop { $0.stop <= transfer.stop }
            return transfer.level ?? 0 > 100 && rest.first?.level == 0
        }!
    }

    @Test(arguments: boards)
    func aMissingLevelIsNamed(_ board: Int) throws {
        var recording = try Self.recordings[board].get()
        let tap = tap(recording)
        recording.remove(tap)
        let checks = try checks(recording)
        #expect(checks[0].verdict == .failed)
        let note = try #require(checks[0].note)
        #expect(note.contains("\(tap.level!) was expected, but nothing was captured"), "\(note)")
    }

    @Test(arguments: boards)
    func aChangedValueIsNamed(_ board: Int) throws {
        var recording = try Self.recordings[board].get()
        let tap = tap(recording)
        recording.invertLastBit(tap)
        let checks = try checks(recording)
        #expect(checks[0].verdict == .failed && checks[1].value == 1, "\(checks)")
        let note = try #require(checks[0].note)
        #expect(
            note.contains("\(tap.level!) was expected, but \(tap.level! ^ 1) was captured"),
            "\(note)")
    }

    @Test(arguments: boards)
    func aShiftedLevelIsNamed(_ board: Int) throws {
        var recording = try Self.recordings[board].get()
        let tap = tap(recording)
        recording.shift(tap, by: 3_000)
        let checks = try checks(recording)
        #expect(checks[0].verdict == .failed, "\(checks)")
        let note = try #require(checks[0].note)
        #expect(note.contains("\(tap.level!) was captured 3.0"), "\(note)")
        #expect(note.contains("ms too late"), "\(note)")
    }

    @Test(arguments: boards)
    func aCaptureThatEndsTooEarlyIsNamed(_ board: Int) throws {
        let recording = try Self.recordings[board].get()
        let text = recording.text
        let path = try folder.write("short.vcd", String(text.prefix(text.count * 2 / 3)))
        let checks = try BusWitness(
            try BusCapture(path), recording.report.steps[0], of: recording.report.board, in: ""
        ).checks
        #expect(checks[0].verdict == .failed)
        #expect(try #require(checks[0].note).contains("but the capture ends at"), "\(checks)")
    }

    @Test(arguments: boards)
    func theCaptureOfAnotherStreamIsNamed(_ board: Int) throws {
        let recording = try Self.recordings[board].get()
        var capture = try BusCapture(try file(recording))
        capture.writes = capture.writes.map { write in
            var write = write
            write.value = 255 - write.value
            return write
        }
        let checks = try BusWitness(
            capture, recording.report.steps[0], of: recording.report.board, in: ""
        ).checks
        #expect(checks.map(\.verdict) == [.failed])
        #expect(try #require(checks[0].note).contains("do not match the step"))
    }

    /// The order of the taps differs in each acceptance test, so the capture of another test does
    /// not pass.
    @Test(arguments: boards)
    func theCaptureOfAnotherTestFails(_ board: Int) throws {
        let recording = try Self.recordings[board].get()
        let other = try WireRecording(
            recording.simulator, taps: AcceptanceRun.tapIntensities.reversed())
        let checks = try BusWitness(
            try BusCapture(try file(recording)), other.report.steps[0], of: other.report.board,
            in: ""
        ).checks
        #expect(checks.contains { $0.verdict == .failed }, "\(checks.flatMap(\.lines))")
        let own = try BusWitness(
            try BusCapture(try file(other)), other.report.steps[0], of: other.report.board, in: ""
        ).checks
        #expect(own.allSatisfy { $0.verdict == .passed }, "\(own.flatMap(\.lines))")
    }

    @Test func filesWithoutTransfersAreRefused() throws {
        let idle = """
            $timescale 100 ns $end
            $scope module board $end
            $var wire 1 ! SCL $end
            $var wire 1 " SDA $end
            $upscope $end
            $enddefinitions $end
            #0
            1!
            1"
            #1000
            """
        let refusal = try refusal(try folder.write("idle.vcd", idle))
        #expect(refusal.status == .badData)
        #expect(refusal.message.contains("no transfer to a driver (address 5A) on SCL (SCL)"))
        #expect(refusal.advice.contains { $0.contains("--wires SDA,SCL") }, "\(refusal)")
    }

    @Test(arguments: ["", "hello\n", "{\"schema\": \"bridge.accept/1\"}", "$timescale 1 ns $end\n"])
    func otherFilesAreRefused(_ text: String) throws {
        let refusal = try refusal(try folder.write("text.txt", text))
        #expect(refusal.status == .badData)
        #expect(refusal.message.contains("not a capture"), "\(refusal)")
    }

    @Test(arguments: boards)
    func wrongChannelsAreNamed(_ board: Int) throws {
        let recording = try Self.recordings[board].get()
        let path = try file(recording)
        let missing = try refusal(path, Wires(clock: "D0", data: "D1"))
        #expect(missing.message.contains("no channel D0: the channels are SCL, SDA"))
        let exchanged = try refusal(path, Wires(clock: "SDA", data: "SCL"))
        #expect(exchanged.message.contains("no transfer to a driver"))
        #expect(exchanged.advice.contains { $0.contains("--wires SCL,SDA") }, "\(exchanged)")
    }

    @Test func anAnalyzerWithoutABoardIsNamed() throws {
        let recording = try LogicAnalyzer.record(
            from: "no-such-driver", .ofAnalyzer, for: 1_000_000)
        let error = try #require(throws: ToolError.self) {
            _ = try LogicAnalyzer.capture(of: recording, .ofAnalyzer, from: "no-such-driver")
        }
        #expect(error.status == .noBoard && error.message.contains("has recorded nothing"))
    }
}
