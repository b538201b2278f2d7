// Tests that compile every real file and compare the result with its source.

import Foundation
import HapticCompiler
import HapticPatterns
import TestSupport
import Testing

@Suite(
    .enabled(
        if: !SharedFiles.ahap.isEmpty,
        "the folder of real files is missing: set HAPTIC_BRIDGE_SHARED"))
struct CorpusTests {
    @Test(arguments: SharedFiles.ahap) func decodesToTheCompiledListing(name: String) throws {
        guard let pattern = try SharedFiles.pattern(name) else { return }
        let compiled = HapticCompiler.compile(pattern)
        #expect(try EventStreamDecoder.decode(compiled.bytes) == compiled.events)
        #expect(compiled.events.last?.content == .end)
        #expect(compiled.renderedDuration >= compiled.duration)
    }

    @Test(arguments: SharedFiles.ahap) func playsEveryTapInItsPlaceAndStrength(name: String) throws
    {
        guard let pattern = try SharedFiles.pattern(name) else { return }
        let compiled = HapticCompiler.compile(pattern)
        let exact = NaiveEvaluator(pattern)
        let silent = Set(compiled.report.items(of: .silentTap).map(\.event))
        let expected = pattern.events.enumerated()
            .filter { $1.type == .hapticTransient && !silent.contains($0) }
        let taps = PlayedStream(compiled.events).taps
        #expect(taps.count == expected.count)
        for (tap, (_, event)) in zip(taps, expected) {
            #expect(abs(Int64(tap.tick) * 250 - event.time) <= 125)
            let intensity = exact.intensity(of: event) * 255
            #expect(abs(Double(tap.intensity) - intensity) <= 2, "at \(event.time) us")
        }
        for event in silent { #expect(exact.intensity(of: pattern.events[event]) * 255 < 0.5) }
    }

    @Test(arguments: SharedFiles.ahap) func staysWithinTwoStepsOfTheLevel(name: String) throws {
        guard let pattern = try SharedFiles.pattern(name) else { return }
        let errors = LevelErrors(HapticCompiler.compile(pattern), of: pattern)
        #expect(errors.level <= 2, "at \(errors.levelAt) ms")
        #expect(errors.sharpness <= 255 * 2 / 127, "at \(errors.sharpnessAt) ms")
        #expect(errors.brokenSilence == nil)
    }

    @Test(arguments: SharedFiles.ahap) func bytesDoNotDependOnTheWindow(name: String) throws {
        guard let pattern = try SharedFiles.pattern(name) else { return }
        let whole = HapticCompiler.compile(pattern).bytes
        for window: Microseconds in [7_000, 100_000, 10_000_000] {
            #expect(Self.compile(pattern, window: window) == whole, "window of \(window) us")
        }
    }

    private static func compile(_ pattern: HapticPattern, window: Microseconds) -> [UInt8] {
        let voice = PatternVoice(pattern, endless: .limited)
        var compiler = HapticCompiler(voices: [voice])
        var code: [UInt8] = []
        while true {
            let segment = compiler.nextSegment(duration: window)
            code += segment.bytes
            if segment.hasEnded { return code }
        }
    }

    @Test func largestFileTakesLessThanFourBytesAnEvent() throws {
        let name = "samroman3__Wakeup_combined"
        guard SharedFiles.ahap.contains(name), let pattern = try SharedFiles.pattern(name) else {
            return
        }
        #expect(pattern.events.count == 4_488)
        #expect(HapticCompiler.compile(pattern).bytes.count < 4 * pattern.events.count)
    }
}
