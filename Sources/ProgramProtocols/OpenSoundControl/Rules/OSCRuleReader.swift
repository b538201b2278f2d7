// OSCRuleReader: reads a file of rules.

import JSONText

extension OSCRule {
    /// The maximum number of rules in a file.
    static let countMax = 1000

    /// Reads a file of rules: an object whose member `rules` is a list of objects. The effect of a
    /// message is determined by the first rule whose address matches.
    ///
    /// - Throws: ``OSCRuleError`` with the location of the first error.
    public static func read(_ bytes: [UInt8]) throws(OSCRuleError) -> [OSCRule] {
        let root: JSONValue
        do {
            root = try JSONReader.read(bytes).value
        } catch {
            throw OSCRuleError(location: error.location, message: error.message)
        }
        guard case .object(let object) = root.kind, case .array(let list)? = object["rules"]?.kind
        else {
            throw OSCRuleError(
                location: root.location,
                message: #"the file must contain an object with a list of rules: {"rules": […]}"#)
        }
        if let other = object.members.first(where: { $0.key != "rules" }) {
            throw OSCRuleError(
                location: other.keyLocation, message: #"the only allowed member is "rules""#)
        }
        guard list.count <= countMax else {
            throw OSCRuleError(
                location: root.location,
                message: "the file has more than \(countMax) rules")
        }
        var rules: [OSCRule] = []
        for value in list { rules.append(try OSCRule(value)) }
        return rules
    }

    private init(_ value: JSONValue) throws(OSCRuleError) {
        guard case .object(let object) = value.kind else {
            throw OSCRuleError(location: value.location, message: "a rule must be an object")
        }
        guard let address = object["address"], let mode = object["mode"] else {
            throw OSCRuleError(
                location: value.location, message: "a rule must have an address and a mode")
        }
        self.init(try Self.address(address), try Self.mode(mode))
        for member in object.members where !["address", "mode"].contains(member.key) {
            try apply(member)
        }
        guard low != high else {
            throw OSCRuleError(location: value.location, message: "low and high must differ")
        }
        if self.mode == .pattern && pattern == nil {
            throw OSCRuleError(
                location: value.location,
                message: #"a rule with the mode "pattern" must have a "pattern", the name of a "#
                    + #"pattern"#)
        }
    }

    private mutating func apply(_ member: JSONObject.Member) throws(OSCRuleError) {
        let value = member.value
        switch member.key {
        case "locality": locality = try Self.text(value)
        case "pattern": pattern = try Self.text(value)
        case "text": text = try Self.text(value)
        case "low": low = try Self.number(value, in: -1e9...1e9)
        case "high": high = try Self.number(value, in: -1e9...1e9)
        case "curve": curve = try Self.number(value, in: 1 / 16...16)
        case "sharpness": sharpness = try Self.number(value, in: 0...1)
        default:
            throw OSCRuleError(
                location: member.keyLocation,
                message: "\(member.key) is unknown; a rule has \(Self.keys.joined(separator: ", "))"
                    + Self.suggestion(for: member.key, among: Self.keys))
        }
    }

    private static let keys = [
        "address", "mode", "locality", "low", "high", "curve", "sharpness", "pattern", "text",
    ]

    /// Returns the end of a message about a misspelled word; empty if no name is similar.
    private static func suggestion(for word: String, among names: [String]) -> String {
        nearestName(to: word, among: names).map { "; did you mean \($0)?" } ?? ""
    }

    private static func address(_ value: JSONValue) throws(OSCRuleError) -> OSCAddressPattern {
        guard let pattern = OSCAddressPattern(try text(value)) else {
            throw OSCRuleError(
                location: value.location,
                message: "an address must begin with /, and each [ and { must be closed")
        }
        return pattern
    }

    private static func mode(_ value: JSONValue) throws(OSCRuleError) -> Mode {
        let name = try text(value)
        guard let mode = Mode(rawValue: name) else {
            let names = Mode.allCases.map(\.rawValue)
            throw OSCRuleError(
                location: value.location,
                message: "a mode must be one of \(names.joined(separator: ", "))"
                    + suggestion(for: name, among: names))
        }
        return mode
    }

    private static func text(_ value: JSONValue) throws(OSCRuleError) -> String {
        guard case .string(let text) = value.kind else {
            throw OSCRuleError(
                location: value.location, message: "a string is expected, not \(value.kindName)")
        }
        return text
    }

    private static func number(
        _ value: JSONValue, in range: ClosedRange<Double>
    ) throws(OSCRuleError) -> Double {
        guard case .number(let text) = value.kind, let number = Double(text), range.contains(number)
        else {
            throw OSCRuleError(
                location: value.location,
                message: "a number from \(range.lowerBound) to \(range.upperBound) is expected")
        }
        return number
    }
}
