// Names that are not Core Haptics', and the ones that were probably meant.

/// Finds the name that a wrong one stands for.
///
/// What Core Haptics ignores is ignored here too, so that a file feels the same; the suggestion is
/// only said. A name that differs in nothing but upper and lower case is the exception: on a value
/// (an event type, a parameter id) Core Haptics would refuse the file, and the meaning is plain.
enum Spelling {
    /// The case of a type of names that a text spells but for upper and lower case.
    static func anyCase<Name>(_ text: String, in type: Name.Type = Name.self) -> Name?
    where Name: CaseIterable & RawRepresentable<String> {
        guard text.utf8.count <= longest else { return nil }
        let lowercased = text.lowercased()
        return Name.allCases.first { $0.rawValue.lowercased() == lowercased }
    }

    /// More bytes than any name has, in any case of its letters.
    private static let longest = 64

    /// A text that a file gives, for a message: the whole of it unless it is longer than any name.
    static func shortened(_ text: String) -> String {
        guard text.utf8.count > longest else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest / 2))) + "…"
    }

    /// What to do about an unknown parameter id, where event or dynamic ids are expected.
    static func advice<Name>(forID text: String, in type: Name.Type) -> String
    where Name: CaseIterable & RawRepresentable<String> {
        let near = Name.allCases.first { name in
            text == "Haptic" + name.rawValue || text == name.rawValue + "Control"
                || text + "Control" == name.rawValue
        }
        if let near { return "write \"\(near.rawValue)\", if that is meant" }
        return "remove it, or use one of \(Name.allCases.map(\.rawValue).joined(separator: ", "))"
    }

    /// What to do about an unknown key, where some keys are allowed.
    static func advice(forKey text: String, among allowed: [AHAPKey]) -> String {
        let near = usual[text].flatMap { allowed.contains($0) ? $0 : nil }
        let inAnyCase = anyCase(text, in: AHAPKey.self).flatMap { allowed.contains($0) ? $0 : nil }
        guard let meant = near ?? inAnyCase else { return "remove it; notes belong in Metadata" }
        return "write \"\(meant.rawValue)\", if that is meant"
    }

    /// Wrong keys that were seen in real files, or that AHAP-doc's own prose suggests.
    private static let usual: [String: AHAPKey] = [
        "Duration": .eventDuration, "ParameterCurves": .parameterCurve, "Events": .pattern,
        "Parameters": .eventParameters, "Type": .eventType, "Timestamp": .time,
        "ID": .parameterID, "Value": .parameterValue, "ControlPoints": .controlPoints,
    ]
}
