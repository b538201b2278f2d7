// Tests that the board writes the levels in a stream to the chip at the required times (SPEC 5, 6,
// 7).

import AHAP
import BridgeLink
import Foundation
import HapticCompiler
import TestSupport
import Testing

@Suite struct PlayTests {
    @Test(
        arguments: ConformanceBoard.pairs(
            ["tap", "heartbeat", "tour"], inRealTime: ["tap", "tour"]))
    func theBuiltInPatternsAreFelt(_ board: ConformanceBoard, _ name: String) async throws {
        let file = PackageFolder.url.appending(path: "Sources/AHAP/Patterns/\(name).ahap")
        let pattern = try AHAPReader.read([UInt8](try Data(contentsOf: file))).pattern
        let compiled = HapticCompiler.compile(pattern, profile: .reference)
        try await board.test { rig in
            try rig.expectFelt(try PlayedPattern(compiled, on: rig.link))
        }
    }

    @Test(
        arguments: ConformanceBoard.pairs(
            StreamSample.allCases, inRealTime: [.tapsOverARamp, .copies, .slots]))
    func everyPartOfTheEventCodeIsFelt(
        _ board: ConformanceBoard, _ sample: StreamSample
    ) async throws {
        let events = try sample.events
        try await board.test { rig in
            let played = try PlayedPattern(sample.bytes, events, limit: 3_000_000, on: rig.link)
            try rig.expectFelt(played)
            #expect(try rig.link.stream().state == .closed)
        }
    }

    /// The sample patterns of Apple's HapticSampler, from a public repository.
    private static let sampler = SharedFiles.ahap.filter { $0.contains("AppleHapticSampler") }
    private static let shortest = sampler.filter {
        $0.hasSuffix("Boing") || $0.hasSuffix("Sparkle")
    }

    @Test(
        .enabled(if: !sampler.isEmpty, "the folder shared/ahap is missing"),
        arguments: ConformanceBoard.pairs(sampler, inRealTime: shortest)
            .filter { $0.0.hasTrace && $0.0 != .inProcess })
    func everyBoardWritesWhatTheInProcessBoardWrites(
        _ board: ConformanceBoard, _ name: String
    ) async throws {
        let pattern = try #require(try SharedFiles.pattern(name))
        let compiled = HapticCompiler.compile(pattern, profile: .reference)
        let reference = try PlayedPattern(compiled)
        try await board.test { rig in
            let played = try PlayedPattern(compiled, on: rig.link)
            try rig.expectFelt(played)
            let comparison = LevelTraceComparison(played.levels, reference: reference)
            #expect(comparison.mismatches.isEmpty)
            #expect(comparison.worstOnset <= 60)
            #expect(comparison.worstStep <= 100)
        }
    }

    @Test(arguments: ConformanceBoard.inVirtualTime)
    func theSameCallsGiveTheSameTrace(_ board: ConformanceBoard) async throws {
        var traces: [String] = []
        for _ in 0..<2 {
            traces.append(
                try await board.test { rig in
                    let sample = StreamSample.tapsOverARamp
                    let played = try PlayedPattern(
                        sample.bytes, sample.events, limit: 3_000_000, on: rig.link)
                    try rig.expectFelt(played)
                    return rig.rawTrace
                })
        }
        #expect(traces[0].utf8.count > 2_000)
        #expect(traces[0] == traces[1])
    }
}

extension Rig {
    /// Checks that all required levels reached the chip in time, and that the board reports no
    /// errors.
    func expectFelt(_ played: PlayedPattern, _ place: SourceLocation = #_sourceLocation) throws {
        #expect(played.progress.isClean, sourceLocation: place)
        #expect(played.progress.bytesSent == played.progress.bytesTotal, sourceLocation: place)
        // If a write in an earlier playback was later, the lateness of this playback is unknown.
        #expect(played.progress.latest ?? 0 <= lateness, sourceLocation: place)
        guard kind.hasTrace else { return }
        #expect(played.comparison.mismatches.isEmpty, sourceLocation: place)
        #expect(played.comparison.worstOnset <= lateness, sourceLocation: place)
        #expect(!played.levels.isEmpty, sourceLocation: place)
    }

    /// The complete bus trace of the board as text.
    var rawTrace: String {
        if let simulated = board as? LockStepBoard { return simulated.rawOutput }
        return board.transactions.map { "\($0)\n" }.joined()
            + board.driveChanges.map { "\($0)\n" }.joined()
    }
}
