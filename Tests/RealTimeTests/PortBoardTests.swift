// Tests of boards behind ports in real time: the writes on the bus that the boards' own traces
// contain.

import BridgeLink
import DRV2605
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

extension BoardSimulator {
    /// The available simulators.
    static let here = [atmega328p, pico, sketch].filter { $0.absence == nil }
}

/// The conformance suite checks that the same boards follow SPEC in virtual time, and in the
/// complete proof also over their ports.
@Suite(.serialized, .witnessed(tolerance: .milliseconds(40))) struct PortBoardTests {
    /// A stream with taps during a ramp, jumps, and a ramp to the end.
    private static let events =
        [StreamEvent(.levelRamp(to: 200, duration: 600), at: 0)]
        + (0..<7).map {
            StreamEvent(.tap(intensity: 250, sharpness: UInt8($0 * 40)), at: 40 + $0 * 95)
        }
        + (0..<60).map { StreamEvent(.level(UInt8(1 + $0 * 89 % 255)), at: 800 + $0 * 20) }
        + [StreamEvent(.levelRamp(to: 0, duration: 100), at: 2_020), StreamEvent(.end, at: 2_200)]

    @Test func theVirtualBoardPlaysExactlyWhatItIsSent() throws {
        let program = try BoardProgram(Tool.executable("virtual-board"), ["--unconfigured"])
        try expectExact(try PortBoard(program, trace: .transactions), lateness: 1)
    }

    @Test(arguments: BoardSimulator.here)
    func aSimulatedBoardPlaysExactlyWhatItIsSent(simulator: BoardSimulator) throws {
        let program = try BoardProgram(simulator)
        try expectExact(try PortBoard(program, trace: .cycles(simulator)), lateness: 60)
    }

    /// Plays a stream on a board and, in virtual time, on the reference board. Compares the levels
    /// and their times on the board's clock.
    private func expectExact(_ board: PortBoard, lateness: BoardTime) throws {
        let reference = IdealLink(InProcessBoard.configured())
        try #require(reference.connect())
        let link = IdealLink(board, sessionID: .random(in: 1...UInt32.max / 2))
        try #require(link.connect(limit: 4_000_000), "\(board.failure ?? "no answer")")
        #expect(try link.carryOut(.configure(.coinLRA, actuator: 0)) == nil)
        while try link.actuator().state != .atRest { link.run(for: 5_000) }
        let wanted = try play(on: reference)
        let played = try play(on: link)
        #expect(played.progress.isClean)
        #expect(played.comparison.mismatches.isEmpty)
        #expect(played.comparison.worstOnset <= lateness)
        let comparison = LevelTraceComparison(played.levels, reference: wanted)
        #expect(comparison.mismatches.isEmpty)
        #expect(comparison.worstOnset <= lateness && comparison.worstStep <= 100)
        #expect(board.findings.isEmpty && board.failure == nil)
    }

    private func play(on link: IdealLink) throws -> PlayedPattern {
        try PlayedPattern(
            EventStreamEncoder.encode(Self.events), Self.events, limit: 5_000_000, on: link)
    }
}
