// Spelling: handles names that Core Haptics does not have, and finds the names that were probably
// meant.

/// Finds the name that a misspelled one stands for.
///
/// Names that Core Haptics ignores are ignored here too, so that a file feels the same; the
/// suggestion appears only in the message. The exception is a value (an event type or a parameter
/// id) that differs from a name only in upper and lower case: Core Haptics would refuse the file,
/// but the meaning is clear.
enum Spelling {
    /// Advice on an unknown name.
    struct Advice {
        let text: String
        /// True if the advice is a name that is probably meant, so that only the author can tell what is right.
        let isName: Bool

        /// Makes the advice to write a name.
        fileprivate init(name: String) {
            (text, isName) = ("write \"\(name)\", if that is what you mean", true)
        }

        /// Makes other advice.
        fileprivate init(_ text: String) { (self.text, isName) = (text, false) }
    }

    /// Returns the case of a type whose name equals a text apart from upper and lower case.
    static func anyCase<Name>(_ text: String, in type: Name.Type = Name.self) -> Name?
    where Name: CaseIterable & RawRepresentable<String> {
        guard text.utf8.count <= longest else { return nil }
        let lowercased = text.lowercased()
        return Name.allCases.first { $0.rawValue.lowercased() == lowercased }
    }

    /// A number of bytes greater than that of any name, in upper or lower case.
    private static let longest = 64

    /// Returns advice on an unknown parameter id, given the type of ids that are expected.
    static func advice<Name>(forID text: String, in type: Name.Type) -> Advice
    where Name: CaseIterable & RawRepresentable<String> {
        let near = Name.allCases.first { name in
            text == "Haptic" + name.rawValue || text == name.rawValue + "Control"
                || text + "Control" == name.rawValue
        }
        if let near { return Advice(name: near.rawValue) }
        let names = Name.allCases.map(\.rawValue)
        return suggestion(for: text, among: names)
            ?? Advice("remove it, or use one of \(names.joined(separator: ", "))")
    }

    /// Returns advice on a name that differs by few letters from one that is expected; nil if it differs
    /// by many.
    static func suggestion(for text: String, among names: [String]) -> Advice? {
        guard text.utf8.count <= longest else { return nil }
        return nearestName(to: text, among: names).map { Advice(name: $0) }
    }

    /// Returns advice on an unknown key, given the keys that are allowed.
    static func advice(forKey text: String, among allowed: [AHAPKey]) -> Advice {
        let near = usual[text].flatMap { allowed.contains($0) ? $0 : nil }
        let inAnyCase = anyCase(text, in: AHAPKey.self).flatMap { allowed.contains($0) ? $0 : nil }
        guard let meant = near ?? inAnyCase else {
            return suggestion(for: text, among: allowed.map(\.rawValue))
                ?? Advice("remove it; notes belong in Metadata")
        }
        return Advice(name: meant.rawValue)
    }

    /// The wrong keys that were seen in real files or are suggested by the prose of AHAP-doc, with
    /// the right ones.
    private static let usual: [String: AHAPKey] = [
        "Duration": .eventDuration, "ParameterCurves": .parameterCurve, "Events": .pattern,
        "Parameters": .eventParameters, "Type": .eventType, "Timestamp": .time,
        "ID": .parameterID, "Value": .parameterValue, "ControlPoints": .controlPoints,
    ]
}
