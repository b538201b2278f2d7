// Spelling: finds the known name that was probably intended by a name that Core Haptics does not
// define.

import HapticPatterns
import JSONText

/// Finds the known name that was probably intended by an unknown name.
///
/// Core Haptics ignores unknown names. This reader also ignores unknown names, so that a file feels
/// the same, and suggests the intended name in the message. There is one exception: Core Haptics
/// rejects a file if an event type or a parameter id differs from a known name only in upper and
/// lower case. This reader accepts such a name, because its meaning is clear.
enum Spelling {
    /// Advice on an unknown name.
    struct Advice {
        let text: String
        /// True if the advice suggests a name. Only the author can decide whether the suggested
        /// name was intended.
        let isName: Bool

        /// Creates advice that suggests a name.
        fileprivate init(name: String) {
            (text, isName) = ("write \"\(name)\", if that is what you mean", true)
        }

        /// Creates advice that does not suggest a name.
        fileprivate init(_ text: String) { (self.text, isName) = (text, false) }
    }

    /// Returns the enumeration case whose name matches a text, ignoring upper and lower case.
    static func anyCase<Name>(_ text: String, in type: Name.Type = Name.self) -> Name?
    where Name: CaseIterable & RawRepresentable<String> {
        Name.allCases.first {
            $0.rawValue.utf8.elementsEqual(text.utf8) { $0.asLowercase == $1.asLowercase }
        }
    }

    /// A length in bytes that no known name exceeds.
    private static let longest = 64

    /// Returns advice on an unknown parameter id. `names` contains the expected ids.
    static func advice(forID text: String, among names: [String]) -> Advice {
        let near = names.first {
            text == "Haptic" + $0 || text == $0 + "Control" || text + "Control" == $0
        }
        if let near { return Advice(name: near) }
        return suggestion(for: text, among: names)
            ?? Advice("remove it, or use one of \(names.joined(separator: ", "))")
    }

    /// Returns the problem and the advice for the id of a parameter of events that is used for the
    /// whole pattern, or of a parameter of the whole pattern that is used for an event; nil for any
    /// other id. `type` is the type of the expected ids.
    static func misplaced<Name>(
        _ text: String, in type: Name.Type
    ) -> (message: String, advice: String)? {
        if type == EventParameterID.self, DynamicParameterID(rawValue: text) != nil {
            let stem = String(text.dropLast("Control".count))
            let stems = [
                stem, String(stem.dropFirst("Haptic".count)), String(stem.dropFirst("Audio".count)),
            ]
            let own = stems.lazy.compactMap { EventParameterID(rawValue: $0) }.first
            return (
                "\"\(text)\" is a parameter of the whole pattern, not of an event, and is ignored",
                (own.map { "write \"\($0.rawValue)\" here, or " } ?? "")
                    + "put it into a \"Parameter\" or a \"ParameterCurve\" of \"Pattern\""
            )
        }
        if type == DynamicParameterID.self, EventParameterID(rawValue: text) != nil {
            let names = ["\(text)Control", "Haptic\(text)Control"]
            let own = names.lazy.compactMap { DynamicParameterID(rawValue: $0) }.first
            return (
                "\"\(text)\" is a parameter of an event, not of the whole pattern, and is ignored",
                (own.map { "write \"\($0.rawValue)\" here, or " } ?? "")
                    + "put it into the \"EventParameters\" of an event"
            )
        }
        return nil
    }

    /// Returns advice that suggests the expected name most similar to a misspelled name; nil if no
    /// expected name is similar enough.
    static func suggestion(for text: String, among names: [String]) -> Advice? {
        guard text.utf8.count <= longest else { return nil }
        return nearestName(to: text, among: names).map { Advice(name: $0) }
    }

    /// Returns advice on an unknown key. `allowed` contains the keys that are allowed at the
    /// location of the unknown key.
    static func advice(forKey text: String, among allowed: [AHAPKey]) -> Advice {
        let near = usual[text].flatMap { allowed.contains($0) ? $0 : nil }
        let inAnyCase = anyCase(text, in: AHAPKey.self).flatMap { allowed.contains($0) ? $0 : nil }
        guard let meant = near ?? inAnyCase else {
            return suggestion(for: text, among: allowed.map { $0.rawValue })
                ?? Advice("remove it; notes belong in Metadata")
        }
        return Advice(name: meant.rawValue)
    }

    /// The correct keys for wrong keys that occur in real files or that readers of AHAP-doc may
    /// infer from its text.
    private static let usual: [String: AHAPKey] = [
        "Duration": .eventDuration, "ParameterCurves": .parameterCurve, "Events": .pattern,
        "Parameters": .eventParameters, "Type": .eventType, "Timestamp": .time,
        "ID": .parameterID, "Value": .parameterValue, "ControlPoints": .controlPoints,
    ]
}

extension UInt8 {
    /// The lowercase letter for an uppercase letter of ASCII; any other byte is unchanged. All names
    /// in AHAP are ASCII.
    fileprivate var asLowercase: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
