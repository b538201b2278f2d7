// Tests that the compilation of every file in the conformance vectors results in its listing.

import AHAP
import Foundation
import HapticCompiler
import HapticPatterns
import TestSupport
import Testing

@Suite struct VectorTests {
    private static let folder = PackageFolder.url.appending(path: "Tests/Vectors")
    static let names: [String] = {
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (files ?? []).filter { $0.hasSuffix(".ahap") }.map { String($0.dropLast(5)) }
            .sorted()
    }()

    @Test func thereAreVectors() { #expect(Self.names.count >= 28) }

    @Test(arguments: names) func comesToItsListing(name: String) throws {
        try compare(name, .appleDoc, with: "\(name).txt")
    }

    @Test func comesToItsListingAsObserved() throws {
        try compare("08-sharpness-curve", .observed, with: "08-sharpness-curve.observed.txt")
    }

    /// Compares the compiled file with its listing. If `HAPTIC_BRIDGE_WRITE_VECTORS` is set, writes
    /// the listing instead of comparing it.
    private func compare(
        _ name: String, _ curves: SharpnessCurveProfile, with listing: String
    ) throws {
        let bytes = [UInt8](
            try Data(contentsOf: Self.folder.appendingPathComponent("\(name).ahap")))
        let found = listed(bytes, CompilerOptions(sharpnessCurves: curves))
        let file = Self.folder.appendingPathComponent(listing)
        if ProcessInfo.processInfo.environment["HAPTIC_BRIDGE_WRITE_VECTORS"] != nil {
            return try found.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(found == (try String(contentsOf: file, encoding: .utf8)))
    }

    private func listed(_ bytes: [UInt8], _ options: CompilerOptions) -> String {
        do {
            let result = try AHAPReader.read(bytes, options: .init(curveTimes: .automatic))
            let remarks = AHAPLinter.diagnostics(on: result).map {
                "\($0.severity.rawValue) \($0.rule.rawValue) \($0.location?.description ?? "-")\n"
            }
            let voice = PatternVoice(result.pattern, options: options, endless: .limited)
            var compiler = HapticCompiler(voices: [voice], isLive: true)
            var events: [StreamEvent] = []
            while true {
                let segment = compiler.nextSegment(duration: 1_000)
                events += segment.events
                if segment.hasEnded { break }
            }
            return remarks.joined() + EventListing(events).description
        } catch {
            let location = error.location?.description ?? "-"
            return "error \(error.code.rawValue) \(error.rule.rawValue) \(location)\n"
        }
    }
}
