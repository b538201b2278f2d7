// PatternEntry: the events, parameters and curves that one entry of a file describes.

import AHAP
import HapticPatterns

/// The events, parameters and curves that one entry of `Pattern` describes.
struct PatternEntry: Sendable, Equatable {
    var events: [HapticEvent] = []
    var parameters: [HapticDynamicParameter] = []
    var curves: [HapticParameterCurve] = []

    init() {}

    /// Reads the text of an entry. If AHAP does not define the entry, the result is empty.
    ///
    /// - Throws: `AHAPError`. The location in the error refers to the text of the entry, not to the
    ///   file.
    init(_ bytes: [UInt8]) throws(AHAPError) {
        do {
            let file = Array(#"{"Pattern":["#.utf8) + bytes + Array("]}".utf8)
            let pattern = try AHAPReader.read(file).pattern
            (events, parameters, curves) = (pattern.events, pattern.parameters, pattern.curves)
        } catch  where error.rule == .missingPattern {
            return
        }
    }

    /// Returns the entries of a pattern that was read from a file.
    static func entries(of pattern: HapticPattern, count: Int) -> [PatternEntry] {
        var entries = [PatternEntry](repeating: PatternEntry(), count: count)
        func add<Part>(
            _ parts: [Part], _ index: (Part) -> Int?, _ key: WritableKeyPath<Self, [Part]>
        ) {
            for part in parts {
                guard let index = index(part), entries.indices.contains(index) else { continue }
                entries[index][keyPath: key].append(part)
            }
        }
        add(pattern.events, { $0.location?.entryIndex }, \.events)
        add(pattern.parameters, { $0.location?.entryIndex }, \.parameters)
        add(pattern.curves, { $0.location?.entryIndex }, \.curves)
        return entries
    }

    /// Returns the interval of the pattern in which the difference between this version and another
    /// version of the entry can be felt.
    func change(to other: PatternEntry) -> ChangedRange? {
        if let event = other.events.first ?? (other.isEmpty ? events.first : nil) {
            let length = event.type == .hapticTransient ? 0 : event.length ?? 0
            return ChangedRange(
                start: event.time, end: event.time + length, isTap: event.type == .hapticTransient)
        }
        if let curve = other.curves.first ?? curves.first {
            let before = curves.first?.points ?? []
            let point = zip(curve.points, before).first { $0 != $1 }?.0 ?? curve.points.last
            let time = curve.time + (point?.time ?? 0)
            return ChangedRange(start: time, end: time, isTap: false)
        }
        return (other.parameters.first ?? parameters.first).map {
            ChangedRange(start: $0.time, end: $0.time, isTap: false)
        }
    }

    private var isEmpty: Bool { events.isEmpty && parameters.isEmpty && curves.isEmpty }
}

/// The interval that an edit has changed in a pattern.
struct ChangedRange: Sendable, Equatable {
    /// The start of the changed interval, in microseconds.
    var start: Microseconds
    /// The end of the changed interval, in microseconds. The end is equal to ``start`` if the
    /// changed element has no length.
    var end: Microseconds
    /// True if the edit has changed a tap. A tap has no length.
    var isTap: Bool

    /// Creates a changed interval.
    init(start: Microseconds, end: Microseconds, isTap: Bool) {
        (self.start, self.end, self.isTap) = (start, end, isTap)
    }
}
