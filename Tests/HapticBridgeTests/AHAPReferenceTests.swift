// Tests that the documentation's AHAP reference contains each key and each parameter, with the
// range and the default that the reader applies.

import AHAP
import Foundation
import HapticPatterns
import TestSupport
import Testing

@Suite struct AHAPReferenceTests {
    private let lines: [String]

    init() throws {
        let page = "Sources/HapticBridge/HapticBridge.docc/RepresentingPatternsInAHAP.md"
        lines = try String(
            contentsOf: PackageFolder.url.appendingPathComponent(page), encoding: .utf8
        ).components(separatedBy: "\n")
    }

    /// Returns the cells of the table row for a name, without the name.
    private func row(_ name: String) throws -> [String] {
        let row = try #require(lines.first { $0.hasPrefix("| `\(name)` |") }, "\(name)")
        return row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            .dropFirst().map { $0 }
    }

    private func text(_ value: Double?) -> String {
        value.map { "\($0)".replacing(".0", with: "") } ?? "–"
    }

    private func text(_ range: ClosedRange<Double>) -> String {
        "\(text(range.lowerBound)) to \(text(range.upperBound))"
    }

    @Test(arguments: EventParameterID.allCases)
    func eachEventParameterHasItsRangeAndDefaults(_ id: EventParameterID) throws {
        let row = try row(id.rawValue)
        #expect(row[0] == (id == .sustained ? "0 or 1" : text(id.range)))
        guard !id.rawValue.hasPrefix("Audio") else {
            #expect(row[1] == text(id.defaultValue(for: .audioContinuous)))
            return
        }
        #expect(row[1] == text(id.defaultValue(for: .hapticTransient)))
        #expect(row[2] == text(id.defaultValue(for: .hapticContinuous)))
    }

    @Test(arguments: DynamicParameterID.allCases)
    func eachDynamicParameterHasItsRangeAndDefault(_ id: DynamicParameterID) throws {
        let row = try row(id.rawValue)
        #expect(row[0] == text(id.range) && row[1] == text(id.defaultValue))
        #expect(row[2].contains(id.combination == .multiply ? "multiplied" : "added"))
    }

    @Test func eachKeyAndTypeIsThere() {
        let page = lines.joined(separator: "\n")
        let keys = [
            "Version", "Metadata", "Pattern", "Event", "Parameter", "ParameterCurve", "EventType",
            "Time", "EventDuration", "EventParameters", "EventWaveformPath",
            "EventWaveformUseVolumeEnvelope", "EventWaveformLoopEnabled", "ParameterID",
            "ParameterValue", "ParameterCurveControlPoints",
        ]
        for key in keys + HapticEvent.EventType.allCases.map(\.rawValue) {
            #expect(page.contains("`\(key)`"), "\(key)")
        }
    }
}
