// Tests that play every real file, from its text to the writes to the chip's registers.

import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct RealFilesTests {
    @Test(
        .enabled(if: !SharedFiles.ahap.isEmpty, "the folder shared/ahap is missing"),
        arguments: SharedFiles.ahap)
    func whatReachesTheChipIsWhatWasCompiled(_ name: String) throws {
        guard let pattern = try SharedFiles.pattern(name) else { return }
        let played = try PlayedPattern(HapticCompiler.compile(pattern, profile: .reference))
        #expect(played.comparison.mismatches.isEmpty, "\(played.comparison.mismatches.prefix(5))")
        #expect(played.comparison.worstOnset <= 1_000)
        #expect(played.progress.isClean)
        #expect(played.chipFindings.isEmpty)
    }
}
