// Tests that compare real .haptic files with the AHAP files that the exporter of the same vendor
// created.

import AHAP
import Foundation
import HapticCompiler
import HapticPatterns
import PatternFormats
import TestSupport
import Testing

/// The conversion deliberately differs in three respects. The exporter writes the times of points
/// relative to the start of the pattern, whereas Apple defines them relative to the start of the
/// curve. The exporter lowers the level by 20 % at an emphasis, because an iPhone adds the level
/// and the emphasis as waves; in this project, a tap replaces the level. The exporter leaves taps
/// under the curve, which weakens the taps; in this project, the curve is raised for each tap.
@Suite(
    .enabled(
        if: !RealFormats.names.isEmpty,
        "the folder of real files is missing: set HAPTIC_BRIDGE_SHARED"))
struct GoldenTests {
    private static let names = [
        "2_points", "3_points", "16_points", "17_points", "long_clip", "multiple_emphasis",
        "valid_v1",
    ]

    @Test(arguments: names) func agreesWithTheExporter(name: String) throws {
        let ours = HapticSignal(
            try PatternFormats.read(RealFormats.bytes("metasdk__\(name).haptic")).pattern)
        let golden = try AHAPReader.read(RealFormats.bytes("metasdk__\(name).ahap")).document
        var taps = ours.taps[...]
        for case .event(let event) in golden.pattern where event.eventType == .hapticTransient {
            let tap = try #require(taps.first)
            taps = taps.dropFirst()
            #expect(abs(tap.time - microseconds(event.time)) <= 1_000)
            let values = event.eventParameters.map { $0.parameterValue?.value ?? 0 }
            #expect(Fidelity.jnd(level: tap.intensity * 255, for: values[0] * 255) <= 1)
            #expect(Fidelity.jnd(sharpness: tap.sharpness * 255, for: values[1] * 255) <= 1)
        }
        #expect(taps.isEmpty)
        // Sharpness is not compared during silence.
        guard !ours.pieces.isEmpty else { return }
        for case .parameterCurve(let curve) in golden.pattern { compare(curve, with: ours) }
    }

    private func microseconds(_ number: AHAPDocument.Number?) -> Microseconds {
        Microseconds(((number?.value ?? 0) * 1e6).rounded())
    }

    private func compare(_ curve: AHAPDocument.ParameterCurve, with signal: HapticSignal) {
        let isIntensity = curve.parameterID == .hapticIntensityControl
        var ours = Breakpoints(isIntensity ? signal.intensityPoints : signal.sharpnessPoints)
        let taps = Set(signal.taps.map(\.time))
        for point in curve.controlPoints {
            let time = microseconds(point.time)
            let value = ours.value(at: time) ?? 0
            let wanted =
                (point.parameterValue?.value ?? 0) / (isIntensity && taps.contains(time) ? 0.8 : 1)
            let jnd =
                isIntensity
                ? Fidelity.jnd(level: value * 255, for: wanted * 255)
                : Fidelity.jnd(sharpness: value * 255, for: wanted * 255)
            #expect(jnd <= 1, "\(curve.parameterID) at \(time) us: \(value), not \(wanted)")
        }
    }
}
