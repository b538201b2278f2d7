// Tests of the times and levels in files that resemble files from users' reports.

import Foundation
import HapticPatterns
import PatternFormats
import TestSupport
import Testing

/// The folder with files that resemble files from users' reports.
private let folder = SharedFiles.folder.appendingPathComponent("cases")

@Suite(
    .enabled(
        if: FileManager.default.fileExists(atPath: folder.path),
        "the folder of reported files is missing: set HAPTIC_BRIDGE_SHARED"))
struct CaseFileTests {
    private func signal(_ name: String) throws -> HapticSignal {
        let data = try Data(contentsOf: folder.appendingPathComponent(name))
        return HapticSignal(try PatternFormats.read([UInt8](data)).pattern)
    }

    private func expect(
        _ points: [Breakpoint], _ wanted: KeyValuePairs<Int64, Double>,
        _ place: SourceLocation = #_sourceLocation
    ) {
        #expect(points.map(\.time) == wanted.map { $0.key * 1_000 }, sourceLocation: place)
        for (point, value) in zip(points, wanted.map(\.value)) {
            #expect(abs(point.value - value) < 0.001, sourceLocation: place)
        }
    }

    @Test func anArchiveOfHapticlabsHasTheLevelOfItsPattern() throws {
        for name in ["hla/clip.hac", "hla/main.hla"] {
            let signal = try signal(name)
            #expect(signal.taps.isEmpty)
            expect(signal.intensityPoints, [0: 0.886, 60: 0.886])
        }
    }

    @Test func aProjectOfHapticsStudioWithOneClipIsThatClip() throws {
        let signal = try signal("hasp/mini.hasp")
        #expect(signal.taps.isEmpty)
        expect(signal.intensityPoints, [0: 0.894, 200: 0])
        expect(signal.sharpnessPoints, [0: 0.707, 200: 0.707])
    }

    @Test func aFileOfRichTapHasATapAndACurve() throws {
        let signal = try signal("harmony/he1.he")
        #expect(signal.taps.map(\.time) == [0] && signal.taps.map(\.intensity) == [0.9])
        #expect(signal.taps.map(\.sharpness) == [0.6])
        expect(signal.intensityPoints, [120: 0, 180: 0.8, 320: 0.48, 420: 0])
        expect(signal.sharpnessPoints, [120: 0.5, 180: 0.5, 320: 0.4, 420: 0.5])
    }

    @Test func aFileOfHarmonyOSHasATapAndACurve() throws {
        let signal = try signal("harmony/oh.json")
        #expect(signal.taps.map(\.time) == [0] && signal.taps.map(\.intensity) == [1])
        #expect(signal.taps.map(\.sharpness) == [0.31])
        expect(signal.intensityPoints, [80: 0.18, 280: 0.6, 380: 0.42, 480: 0])
        expect(signal.sharpnessPoints, [80: 0.5, 280: 0.6, 380: 0.5, 480: 0.5])
    }
}
