// Spelling: handles names that Core Haptics does not define, and finds the names that were probably
// intended.

/// Finds the intended names for unknown ones.
///
/// Names that Core Haptics ignores are ignored here too, so that a file feels the same; the message
/// contains the suggested name. An event type or a parameter id that differs from a name only in
/// upper and lower case is an exception: Core Haptics would refuse the file, but its meaning is
/// clear.
enum Spelling {
    /// Advice on an unknown name.
    struct Advice {
        let text: String
        /// True if the advice contains a name that was probably intended. Only the author can
        /// decide whether it is correct.
        let isName: Bool

        /// Makes advice to write a name.
        fileprivate init(name: String) {
            (text, isName) = ("write \"\(name)\", if that is what you mean", true)
        }

        /// Makes advice that does not suggest a name.
        fileprivate init(_ text: String) { (self.text, isName) = (text, false) }
    }

    /// Returns the enumeration case whose name is equal to a text, ignoring upper and lower case.
    static func anyCase<Name>(_ text: String, in type: Name.Type = Name.self) -> Name?
    where Name: CaseIterable & RawRepresentable<String> {
        guard text.utf8.count <= longest else { return nil }
        let lowercased = text.lowercased()
        return Name.allCases.first { $0.rawValue.lowercased() == lowercased }
    }

    /// An upper limit for the length of a name, in bytes.
    private static let longest = 64

    /// Returns advice on an unknown parameter id, given the expected type of ids.
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

    /// Returns advice on a name that differs by a few letters from an expected name; nil if there
    /// is no similar name.
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

    /// The correct keys for wrong keys that occur in real files or that the text of AHAP-doc
    /// suggests.
    private static let usual: [String: AHAPKey] = [
        "Duration": .eventDuration, "ParameterCurves": .parameterCurve, "Events": .pattern,
        "Parameters": .eventParameters, "Type": .eventType, "Timestamp": .time,
        "ID": .parameterID, "Value": .parameterValue, "ControlPoints": .controlPoints,
    ]
}
