// Files that an attacker might send to slow down a program or to exhaust its memory.

import Foundation

/// AHAP files that cause as much work as possible for their size, generated from a seed.
public enum HostileFile: String, CaseIterable, Sendable {
    case overlappingEvents, overlappingEnvelopes, dayLongEvents, denseTaps, fewBytesAnEvent
    case manyCurves, unsortedPoints, duplicateParameters, duplicateKeys
    case commentsAndUnknownKeys, commentsOnly, unknownParameters, longStrings, escapedStrings
    case hugeNumbers, deepNesting, manyValues, manyContainers

    /// Returns a file of at most `size` bytes that stays within the default limits of events and
    /// control points.
    public func bytes(size: Int, seed: UInt64 = 1) -> [UInt8] {
        var file = Text(size: size, generator: SeededGenerator(seed: seed))
        switch self {
        case .overlappingEvents: file.writeEventsUnderCurve(envelope: false, spread: 100)
        case .overlappingEnvelopes: file.writeEventsUnderCurve(envelope: true, spread: 2)
        case .dayLongEvents: file.writeEventsUnderCurve(envelope: false, spread: 86_000)
        case .denseTaps: file.writeTapsUnderCurve()
        case .fewBytesAnEvent:
            file.writePattern { _, _ in #"{"Event":{"EventType":"HapticContinuous"}}"# }
        case .manyCurves: file.writePattern(tail: Text.tap) { file, _ in file.curve(points: 1) }
        case .unsortedPoints:
            file.write(#"{"Pattern":[\#(Text.tap),"#)
            file.write(file.curve(points: min(Text.most, size / 40)) + "]}")
        case .duplicateParameters:
            file.write(#"{"Pattern":[{"Event":{"EventType":"HapticContinuous","EventParameters":["#)
            file.repeatParts(closing: "]}}]}") { file, index in
                let id = index < 100_000 ? "HapticIntensity" : "HapticSharpness"
                return #"{"ParameterID":"\#(id)","ParameterValue":1}"#
            }
        case .duplicateKeys: file.writeMetadata { _, _ in #""a":0"# }
        case .commentsAndUnknownKeys:
            file.write(#"{"Pattern":[\#(Text.tap)],"#)
            file.repeatParts(most: 50_000, closing: "}") { _, index in #"/**/"k\#(index)":0"# }
        case .commentsOnly: file.write(String(repeating: "/**/", count: size / 4))
        case .unknownParameters:
            file.write(#"{"Pattern":[{"Event":{"EventType":"HapticContinuous","EventParameters":["#)
            file.repeatParts(most: 100_000, closing: "]}}]}") { _, index in
                #"{"ParameterID":"Unknown\#(index)","ParameterValue":1}"#
            }
        case .longStrings:
            let half = String(repeating: "é", count: size / 8)
            file.write(
                #"{"\#(half)x":0,"Pattern":[\#(Text.tap),{"Parameter":{"ParameterID":"\#(half)""#)
            file.write(#","ParameterValue":1}}],"Metadata":{"\#(half)":1}}"#)
        case .escapedStrings:
            let escapes = String(repeating: #"\u00e9"#, count: size / 6 - 20)
            file.write(#"{"Pattern":[\#(Text.tap)],"Metadata":{"a":"\#(escapes)"}}"#)
        case .hugeNumbers:
            let digits = String(repeating: "7", count: size / 16)
            file.writePattern { _, index in
                let time = index % 2 == 0 ? "0.\(digits)" : "1.\(digits)e-1"
                return #"{"Event":{"EventType":"HapticTransient","Time":\#(time)}}"#
            }
        case .deepNesting:
            let nest = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
            file.writeMetadata { _, index in "\"\(index)\":\(nest)" }
        case .manyValues: file.writeMetadataArray("0")
        case .manyContainers: file.writeMetadataArray("[0]")
        }
        return file.bytes
    }
}

/// A text with a size limit to which parts are appended.
private struct Text {
    /// The default limit of the number of events, and of the number of control points.
    static let most = 100_000
    static let tap = #"{"Event":{"EventType":"HapticTransient","Time":0}}"#

    let size: Int
    var generator: SeededGenerator
    private(set) var bytes: [UInt8] = []

    init(size: Int, generator: SeededGenerator) {
        self.size = size
        self.generator = generator
        bytes.reserveCapacity(size)
    }

    mutating func write(_ text: String) { bytes += text.utf8 }

    /// Appends parts separated by commas until the size or the number of parts is reached.
    mutating func repeatParts(
        most: Int = .max, until share: Double = 1, closing: String,
        _ part: (inout Text, Int) -> String
    ) {
        var index = 0
        while index < most {
            let next = part(&self, index)
            let size = Int(Double(size) * share)
            guard bytes.count + next.utf8.count + closing.utf8.count + 1 <= size else { break }
            write((index > 0 ? "," : "") + next)
            index += 1
        }
        write(closing)
    }

    mutating func writePattern(tail: String? = nil, _ entry: (inout Text, Int) -> String) {
        write(#"{"Pattern":["#)
        let closing = (tail.map { "," + $0 } ?? "") + "]}"
        repeatParts(most: Self.most - 1, closing: closing, entry)
    }

    mutating func writeMetadata(_ member: (inout Text, Int) -> String) {
        write(#"{"Pattern":[\#(Self.tap)],"Metadata":{"#)
        repeatParts(closing: "}}", member)
    }

    mutating func writeMetadataArray(_ element: String) {
        write(#"{"Pattern":[\#(Self.tap)],"Metadata":["#)
        repeatParts(closing: "]}") { _, _ in element }
    }

    /// Fills more than half of the size with overlapping events, and the remainder with control
    /// points. Each event is as long as the interval from the first start to the last start.
    mutating func writeEventsUnderCurve(envelope: Bool, spread: Double) {
        write(#"{"Pattern":["#)
        repeatParts(most: Self.most - 2, until: 0.6, closing: ",") { file, _ in
            file.event(envelope: envelope, spread: spread)
        }
        writeCurves(until: spread)
    }

    mutating func writeTapsUnderCurve() {
        write(#"{"Pattern":["#)
        repeatParts(most: Self.most - 2, until: 0.6, closing: ",") { file, index in
            let value = file.number(0...1)
            return #"{"Event":{"EventType":"HapticTransient","Time":\#(Double(index) / 1_000),"#
                + #""EventParameters":[{"ParameterID":"HapticIntensity","ParameterValue":\#(value)}]}}"#
        }
        writeCurves(until: 100)
    }

    /// Appends an intensity curve and a sharpness curve from 0 to `end`.
    private mutating func writeCurves(until end: Double) {
        let points = min(Self.most / 2, (size - bytes.count) / 2 / 45 - 10)
        for id in ["HapticIntensityControl", "HapticSharpnessControl"] {
            let separator = id.contains("Intensity") ? "" : ","
            write(separator + #"{"ParameterCurve":{"ParameterID":"\#(id)","Time":0,"#)
            write(#""ParameterCurveControlPoints":["#)
            repeatParts(most: points, closing: "]}}") { file, index in
                file.point(at: Double(index) * end / Double(max(points, 1)))
            }
        }
        write("]}")
    }

    /// Returns a curve that begins at a random time and whose points are not in order of time.
    mutating func curve(points: Int) -> String {
        let time = number(0...100)
        let points = (0..<points).map { _ in point(at: number(0...100)) }.joined(separator: ",")
        return #"{"ParameterCurve":{"ParameterID":"HapticIntensityControl","Time":\#(time),"#
            + #""ParameterCurveControlPoints":[\#(points)]}}"#
    }

    private mutating func point(at time: Double) -> String {
        #"{"Time":\#(Double(Int(time * 1e5)) / 1e5),"ParameterValue":\#(number(0...1))}"#
    }

    private mutating func event(envelope: Bool, spread: Double) -> String {
        var parameters = [#"{"ParameterID":"HapticIntensity","ParameterValue":\#(number(0...1))}"#]
        if envelope {
            for id in ["AttackTime", "DecayTime", "ReleaseTime", "Sustained"] {
                let value = id == "Sustained" ? number(0...1).rounded() : number(0...1)
                parameters.append(#"{"ParameterID":"\#(id)","ParameterValue":\#(value)}"#)
            }
        }
        return #"{"Event":{"EventType":"HapticContinuous","Time":\#(number(0...spread)),"#
            + #""EventDuration":\#(spread),"EventParameters":[\#(parameters.joined(separator: ","))]}}"#
    }

    private mutating func number(_ range: ClosedRange<Double>) -> Double {
        Double(Int(Double.random(in: range, using: &generator) * 10_000)) / 10_000
    }
}
