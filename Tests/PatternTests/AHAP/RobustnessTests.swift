// Tests that arbitrary bytes cause neither a crash nor a long delay in the reader, and that its
// result has all guaranteed properties.

import TestSupport
import Testing

@testable import AHAP
@testable import HapticPatterns
@testable import JSONText

struct RobustnessTests {
    /// A document that contains every construct, so that a change to it can make every repair
    /// necessary.
    static let sample = """
        // header
        {"Version": 1.0, "Metadata": {"Project": "é", "List": [1, 2.50, null, true]},
         "Pattern": [
          {"Event": {"Time": 0.5, "EventType": "HapticContinuous", "EventDuration": 0.25,
            "EventParameters": [{"ParameterID": "HapticIntensity", "ParameterValue": 1.5},
              {"ParameterID": "Sustained", "ParameterValue": 0}]}},
          {"Event": {"Time": 0.0, "EventType": "HapticTransient", "EventParameters": [],}},
          {"Event": {"Time": 1e-1, "EventType": "AudioCustom", "EventWaveformPath": "a.wav",
            "EventWaveformUseVolumeEnvelope": false}},
          {"Parameter": {"ParameterID": "HapticSharpnessControl", "Time": 0.2,
            "ParameterValue": -0.5}},
          {"ParameterCurve": {"ParameterID": "HapticIntensityControl", "Time": 0.1,
            "ParameterCurveControlPoints": [{"Time": 0.1, "ParameterValue": 0},
              {"Time": 0.3, "ParameterValue": 1}]}},
          {"ParameterCurve": {"ParameterID": "HapticIntensityControl", "Time": 0.6,
            "ParameterCurveControlPoints": [{"Time": 0.6, "ParameterValue": 1}]}}
        ]}
        """

    /// Reads the bytes in both modes, and checks that each result has all guaranteed properties.
    private func check(_ bytes: [UInt8]) throws {
        _ = AHAPLinter.lint(bytes, options: .init(strict: true))
        do throws(AHAPError) {
            try checkPromises(of: try AHAPReader.read(bytes))
        } catch {
            #expect((error.location?.line ?? 1) >= 1 && (error.location?.column ?? 1) >= 1)
            #expect(!error.message.isEmpty && !error.advice.isEmpty)
        }
    }

    private func checkPromises(of result: AHAPReader.Result) throws(AHAPError) {
        let text = AHAPWriter.text(of: result.document)
        #expect(throws: Never.self) { try JSONReader.read(bytes(text), mode: .strict) }
        #expect(try AHAPReader.read(bytes(text)).document == result.document)
        let pattern = result.pattern
        #expect(pattern.events.allSatisfy { $0.time >= 0 && ($0.length ?? 0) >= 0 })
        #expect(pattern.events.allSatisfy { (0...1).contains($0.intensity) })
        #expect(pattern.events.map(\.time) == pattern.events.map(\.time).sorted())
        #expect(pattern.parameters.allSatisfy { $0.id.range.contains($0.value) })
        for id in DynamicParameterID.allCases { checkTimeline(ControlTimeline(id, of: pattern)) }
    }

    private func checkTimeline(_ timeline: ControlTimeline) {
        let segments = timeline.segments
        #expect(segments.first?.start == 0 && segments.last?.end == .max)
        #expect(segments.allSatisfy { $0.start < $0.end })
        #expect(zip(segments, segments.dropFirst()).allSatisfy { $0.end == $1.start })
    }

    @Test func theSampleItselfIsRead() throws {
        let result = try read(Self.sample)
        #expect(result.pattern.events.count == 3 && result.pattern.curves.count == 2)
        #expect(
            Set(result.diagnostics.filter { $0.severity == .repair }.map(\.rule))
                == [.comment, .trailingComma, .clampedValue, .absoluteCurveTimes])
    }

    @Test func everyPrefixIsReadOrRefused() throws {
        let whole = bytes(Self.sample)
        for length in 0..<whole.count {
            let prefix = Array(whole[..<length])
            try check(prefix)
            #expect(throws: AHAPError.self) { _ = try AHAPReader.read(prefix) }
        }
    }

    @Test(arguments: 1...8)
    func mutatedDocumentsAreReadOrRefused(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<250 { try check(mutate(bytes(Self.sample), &numbers)) }
    }

    /// Changes, removes, inserts or duplicates a few bytes. Prefers characters that have a meaning
    /// in JSON.
    private func mutate(_ original: [UInt8], _ numbers: inout SeededGenerator) -> [UInt8] {
        var mutated = original
        let spice = bytes("{}[]:,\"\\/0123456789.eE+-tfn \n*") + [0x00, 0x80, 0xC3, 0xFF]
        for _ in 0..<Int.random(in: 1...4, using: &numbers) {
            let position = Int.random(in: 0..<mutated.count, using: &numbers)
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0: mutated[position] = UInt8.random(in: 0...255, using: &numbers)
            case 1: mutated[position] = spice.randomElement(using: &numbers) ?? 0
            case 2: mutated.remove(at: position)
            case 3: mutated.insert(spice.randomElement(using: &numbers) ?? 0, at: position)
            default:
                let end = min(position + Int.random(in: 1...40, using: &numbers), mutated.count)
                mutated.insert(contentsOf: mutated[position..<end], at: position)
            }
        }
        return mutated
    }

    @Test(arguments: SharedFiles.json)
    func anyJSONTextIsLinted(_ name: String) throws {
        _ = AHAPLinter.lint(try SharedFiles.bytes(name, in: "json"))
    }

    @Test func deepMetadataIsWrittenAgain() throws {
        let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        let document = try read("{\"Metadata\": \(deep), \"Pattern\": [\(tap)]}").document
        #expect(try read(AHAPWriter.text(of: document)).document == document)
    }

    @Test func anEnormousFileIsReadInWhole() throws {
        let entries = (0..<20_000).map {
            event("\"Time\": \(Double($0) / 1_000), \"EventType\": \"HapticTransient\"")
        }
        let text = "{\"Pattern\": [\(entries.joined(separator: ",\n"))]}"
        let result = try read(text)
        #expect(result.pattern.events.count == 20_000)
        #expect(result.pattern.events.last?.location?.line == 20_000)
        #expect(result.pattern.length == 19_999_000)
    }

    @Test func anObjectOfManyKeysIsReadInWhole() throws {
        let members = (0..<50_000).map { "\"key\($0)\": \($0)" }.joined(separator: ",")
        let text = "{\"Metadata\": {\(members)}, \"Pattern\": [\(tap)]}"
        guard case .object(let metadata)? = try read(text).document.metadata?.kind else {
            throw Unexpected()
        }
        #expect(metadata.members.count == 50_000)
    }
}
