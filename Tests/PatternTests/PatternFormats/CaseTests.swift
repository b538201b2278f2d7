// Tests of small files that reproduce users' reports of problems with formats.

import Foundation
import HapticPatterns
import PatternFormats
import TestSupport
import Testing

/// The folder with the small files.
private let folder = SharedFiles.folder.appendingPathComponent("cases")

@Suite(
    .enabled(
        if: FileManager.default.fileExists(atPath: folder.path),
        "the folder of cases is missing: set HAPTIC_BRIDGE_SHARED"))
struct CaseTests {
    private func read(_ name: String) throws -> ReadPattern {
        try PatternFormats.read([UInt8](Data(contentsOf: folder.appendingPathComponent(name))))
    }

    @Test(arguments: [
        (
            "hjif/only-ref.hjif",
            [[100, 0.8], [180, 0.2], [180, 0], [400, 0], [400, 0.8], [480, 0.2]]
        ),
        (
            "hjif/ref.hjif",
            [
                [100, 0.8], [180, 0.2], [180, 0], [400, 0], [400, 0.8], [480, 0.2], [480, 0],
                [700, 0], [700, 0.5], [780, 0.5],
            ]
        ),
        ("hjif/timeline.hjif", [[0, 0.8], [80, 0.2]]),
        ("android/b.json", [[0, 1], [120, 1], [120, 0], [180, 0], [180, 1], [380, 1]]),
        ("android/c.json", [[0, 1], [120, 1], [120, 0], [180, 0], [180, 1], [380, 1]]),
        (
            "android/d.json",
            [[500, 0.708], [1500, 0.708], [1500, 0], [2000, 0], [2000, 1], [4000, 1]]
        ),
        ("android/default-amplitude.json", [[0, 1], [100, 1]]),
    ]) func readsWithoutLosses(name: String, expected: [[Double]]) throws {
        let read = try read(name)
        #expect(levels(read) == expected)
        #expect(losses(read).isEmpty && taps(read).isEmpty)
    }

    @Test func sortsTheKeyframesOfHaps() throws {
        let read = try read("haps/cymbal-like.haps")
        #expect(levels(read) == [[0, 0.894], [1000, 0]])
        let sharpness = values(HapticSignal(read.pattern).sharpnessPoints)
        #expect(sharpness == [[0, 0.128], [200, 0.489], [300, 0.574], [1000, 0.234]])
        let message =
            "this keyframe is earlier than the previous keyframe; the keyframes are sorted"
        #expect(losses(read) == ["1:602: degraded: " + message])
    }

    @Test func refusesAnArrayAlone() throws {
        do {
            _ = try read("android/a.json")
            Issue.record("it is read")
        } catch let error as FormatError {
            #expect(error.description.hasPrefix("1:1: error: an array alone does not state"))
            #expect(error.advice.contains("{\"timings\": [...]}"))
        }
    }
}
