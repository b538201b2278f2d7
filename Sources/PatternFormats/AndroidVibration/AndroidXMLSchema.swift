// AndroidXMLSchema: the elements of Android's format for vibrations, and their attributes.

import JSONText

/// The permitted content of an element: its attributes and its children (AOSP,
/// `com.android.internal.vibrator.persistence`, including the hidden interfaces). Android and
/// ``check(_:)`` reject all other elements, attributes and text.
struct AndroidXMLSchema: Sendable {
    private var attributes: [String] = []
    private var children: [String: AndroidXMLSchema] = [:]
    private var mayContainText = false

    private static let entry = AndroidXMLSchema(
        attributes: ["amplitude", "durationMs", "startTimeMs"])

    /// The effects that a repeating effect may contain.
    private static let effects: [String: AndroidXMLSchema] = [
        "predefined-effect": .init(attributes: ["fallback", "name", "startTimeMs"]),
        "primitive-effect": .init(attributes: ["delayMs", "delayType", "name", "scale"]),
        "basic-envelope-effect": .init(
            attributes: ["initialSharpness", "startTimeMs"],
            children: [
                "control-point": .init(attributes: ["durationMs", "intensity", "sharpness"])
            ]),
        "waveform-envelope-effect": .init(
            attributes: ["initialFrequencyHz", "startTimeMs"],
            children: [
                "control-point": .init(attributes: ["amplitude", "durationMs", "frequencyHz"])
            ]),
    ]

    /// Returns the effects and other elements.
    private static func effects(
        and others: [String: AndroidXMLSchema]
    ) -> [String: AndroidXMLSchema] {
        var all = effects
        for (name, schema) in others { all[name] = schema }
        return all
    }

    private static let repeated = AndroidXMLSchema(
        children: effects(and: ["waveform-entry": entry]))

    private static let vibration = AndroidXMLSchema(
        children: effects(and: [
            "waveform-effect": .init(children: [
                "waveform-entry": entry, "repeating": .init(children: ["waveform-entry": entry]),
            ]),
            "repeating-effect": .init(children: ["preamble": repeated, "repeating": repeated]),
            "vendor-effect": .init(mayContainText: true),
        ]))

    private static let file = AndroidXMLSchema(children: [
        "vibration-effect": vibration,
        "vibration-select": .init(children: ["vibration-effect": vibration]),
    ])

    /// Throws an error if the root element of a file, or an element in it, is not permitted.
    static func check(_ root: XMLElement) throws(FormatError) {
        try file.check(root, in: "the file")
    }

    private func check(_ element: XMLElement, in parent: String) throws(FormatError) {
        guard let schema = children[element.name] else {
            throw FormatError(
                at: element.location,
                "the element \(element.name.excerpt) is not allowed in \(parent)",
                advice: Self.advice(children.keys))
        }
        let unknown = element.attributes.filter {
            !schema.attributes.contains($0.key) && $0.key != "xmlns" && !$0.key.hasPrefix("xmlns:")
        }
        if let (name, attribute) = unknown.min(by: { $0.value.isBefore($1.value) }) {
            throw FormatError(
                at: attribute.location,
                "the attribute \(name.excerpt) is not allowed in \(element.name)",
                advice: Self.advice(schema.attributes))
        }
        if let text = element.textLocation, !schema.mayContainText {
            throw FormatError(
                at: text, "unexpected text in \(element.name)", advice: "remove the text")
        }
        for child in element.children { try schema.check(child, in: element.name) }
    }

    private static func advice(_ names: some Collection<String>) -> String {
        names.isEmpty
            ? "remove it" : "use one of these: " + names.sorted().joined(separator: ", ")
    }
}

extension XMLAttribute {
    fileprivate func isBefore(_ other: XMLAttribute) -> Bool {
        (location.line, location.column) < (other.location.line, other.location.column)
    }
}
