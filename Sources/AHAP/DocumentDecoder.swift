// DocumentDecoder: converts a JSON value to an AHAPDocument. The decoder checks keys, types and
// names, but does not interpret the values.

import JSONText

/// Decodes the root and the entries of `Pattern`, according to the grammar of AHAP (AHAP-doc).
struct DocumentDecoder {
    var report: Report
    private let options: AHAPReader.Options
    /// The index of the entry of `Pattern` that is being read.
    private var entryIndex: Int?
    /// The number of control points of all curves that have been read.
    private var controlPointCount = 0

    init(report: Report, options: AHAPReader.Options) {
        self.report = report
        self.options = options
    }

    mutating func document(from root: JSONValue) throws(AHAPError) -> AHAPDocument {
        let code = AHAPError.Code.invalidPatternDictionary
        var version: AHAPDocument.Number?
        var metadata: JSONValue?
        var pattern: [AHAPDocument.Entry]?
        for member in try members(of: root, "an AHAP file", code) {
            switch AHAPKey(rawValue: member.key) {
            case .version:
                do { version = try readVersion(member, code) } catch { try report.record(error) }
            case .metadata: metadata = member.value
            case .pattern: pattern = try entries(member, code)
            default: try unknown(member, among: [.version, .metadata, .pattern], code)
            }
        }
        guard let pattern else { throw missingPattern("the file has no \"Pattern\"", in: root) }
        return AHAPDocument(version: version, metadata: metadata, pattern: pattern)
    }

    private func missingPattern(_ message: String, in value: JSONValue) -> AHAPError {
        AHAPError(
            code: .invalidPatternDictionary, rule: .missingPattern, location: value.location,
            message: message,
            advice: "put \"Pattern\": [ { \"Event\": ... } ] into the outermost object")
    }

    private mutating func readVersion(
        _ member: JSONObject.Member, _ code: AHAPError.Code
    ) throws(AHAPError) -> AHAPDocument.Number {
        let version = try number(member, code)
        if version.value > 1 {
            report.note(
                .newerVersion, at: version.location, "Version \(version.value) is unknown",
                advice: "check the newer version's documentation; the file is read as version 1")
        }
        return version
    }

    private mutating func entries(
        _ member: JSONObject.Member, _ code: AHAPError.Code
    ) throws(AHAPError) -> [AHAPDocument.Entry] {
        var entries: [AHAPDocument.Entry] = []
        let values = try elements(member, code)
        if values.isEmpty { throw missingPattern("\"Pattern\" is empty", in: member.value) }
        try check(
            values, atMost: options.mostEvents, "\(options.mostEvents) entries of \"Pattern\"",
            code)
        for (index, value) in values.enumerated() {
            entryIndex = index
            do { try appendEntries(from: value, to: &entries) } catch { try report.record(error) }
        }
        if entries.isEmpty, !report.hasErrors {
            throw missingPattern("\"Pattern\" has no usable entry", in: member.value)
        }
        return entries
    }

    /// Reads one element of the `Pattern` array. An element normally contains one entry.
    private mutating func appendEntries(
        from value: JSONValue, to entries: inout [AHAPDocument.Entry]
    ) throws(AHAPError) {
        let code = AHAPError.Code.invalidPatternDictionary
        let members = try members(of: value, "an entry of \"Pattern\"", code)
        try checkCount(of: members.map { $0.key }, in: value, code)
        for member in members {
            switch AHAPKey(rawValue: member.key) {
            case .event:
                if let event = try event(from: member.value) { entries.append(.event(event)) }
            case .parameter: entries += try parameter(from: member.value)
            case .parameterCurve: entries += try curve(from: member.value)
            default: try unknown(member, among: Self.entryKeys, code)
            }
        }
    }

    private static let entryKeys: [AHAPKey] = [.event, .parameter, .parameterCurve]

    private static func isEntryKey(_ key: String) -> Bool {
        entryKeys.contains { $0.rawValue == key }
    }

    /// Reports an entry that does not have exactly one of the three keys `Event`, `Parameter` and
    /// `ParameterCurve`.
    private mutating func checkCount(
        of keys: [String], in value: JSONValue, _ code: AHAPError.Code
    ) throws(AHAPError) {
        let known = keys.filter(Self.isEntryKey)
        if known.isEmpty {
            let isMisspelled = keys.contains {
                Spelling.advice(forKey: $0, among: Self.entryKeys).isName
            }
            try report.repair(
                .unknownEntry, code, at: location(of: value),
                "an entry without the key Event, Parameter or ParameterCurve is ignored",
                advice: "add one of the three keys to the entry, or remove the entry",
                fix: isMisspelled ? nil : .removeOwner)
        } else if known.count > 1 {
            try report.repair(
                .mixedEntry, code, at: location(of: value),
                "an entry with the keys \(known.joined(separator: " and ")); all of them are used",
                advice: "give each key its own entry", fix: .splitEntry)
        }
    }
}

// MARK: - Limits

extension DocumentDecoder {
    /// Adds the number of control points in a curve to the total, and checks the limit.
    mutating func count(controlPoints: [JSONValue]) throws(AHAPError) {
        let left = options.mostControlPoints - controlPointCount
        controlPointCount += controlPoints.count
        try check(
            controlPoints, atMost: left, "\(options.mostControlPoints) control points",
            .badParameterEntry)
    }

    /// Throws an error if a list exceeds a limit. The error's location is the location of the first
    /// value beyond the limit.
    private func check(
        _ values: [JSONValue], atMost most: Int, _ limit: String, _ code: AHAPError.Code
    ) throws(AHAPError) {
        guard values.count > most else { return }
        throw AHAPError(
            code: code, rule: .tooLarge, location: location(of: values[most]),
            message: "more than \(limit)",
            advice: "split the pattern into several files")
    }
}

// MARK: - Values of one type

extension DocumentDecoder {
    /// Returns the location of a value, together with the index of the entry that contains the
    /// value.
    func location(of value: JSONValue) -> SourceLocation? { inEntry(value.location) }

    private func inEntry(_ location: SourceLocation?) -> SourceLocation? {
        location.map { SourceLocation(line: $0.line, column: $0.column, entryIndex: entryIndex) }
    }

    func members(
        of value: JSONValue, _ what: String, _ code: AHAPError.Code
    ) throws(AHAPError) -> [JSONObject.Member] {
        guard case .object(let object) = value.kind else {
            throw wrongType(
                value, "\(what) must be an object", code, like: Self.exampleOfObject(what))
        }
        return object.members
    }

    private static func exampleOfObject(_ what: String) -> String {
        switch what {
        case "an AHAP file": "{ \"Pattern\": [ { \"Event\": ... } ] }"
        case "an entry of \"Pattern\"": "{ \"Event\": { \"Time\": 0.5, ... } }"
        default: "{ \"Time\": 0.5, ... }"
        }
    }

    func elements(
        _ member: JSONObject.Member, _ code: AHAPError.Code
    ) throws(AHAPError) -> [JSONValue] {
        guard case .array(let elements) = member.value.kind else {
            throw wrongType(
                member.value, "\"\(member.key)\" must be an array", code,
                like: "\"\(member.key)\": [ ... ]")
        }
        return elements
    }

    func string(
        _ member: JSONObject.Member, _ code: AHAPError.Code
    ) throws(AHAPError) -> String {
        guard case .string(let string) = member.value.kind else {
            throw wrongType(
                member.value, "\"\(member.key)\" must be a string", code,
                like: "\"\(member.key)\": \"...\"")
        }
        return string
    }

    func bool(_ member: JSONObject.Member, _ code: AHAPError.Code) throws(AHAPError) -> Bool {
        guard case .bool(let bool) = member.value.kind else {
            throw wrongType(
                member.value, "\"\(member.key)\" must be true or false", code,
                like: "\"\(member.key)\": true")
        }
        return bool
    }

    func number(
        _ member: JSONObject.Member, _ code: AHAPError.Code
    ) throws(AHAPError) -> AHAPDocument.Number {
        guard case .number(let text) = member.value.kind, let value = Double(text) else {
            throw wrongType(
                member.value, "\"\(member.key)\" must be a number", code,
                like: "\"\(member.key)\": \(member.key == AHAPKey.version.rawValue ? 1.0 : 0.5)")
        }
        return AHAPDocument.Number(value, location: location(of: member.value))
    }

    private func wrongType(
        _ value: JSONValue, _ message: String, _ code: AHAPError.Code, like example: String
    ) -> AHAPError {
        AHAPError(
            code: code, rule: .wrongType, location: location(of: value),
            message: "\(message), but this is \(value.kindName)",
            advice: "write it like this: \(example)")
    }

    /// Returns the error that reports a missing required key.
    func missing(_ key: AHAPKey, in value: JSONValue, _ code: AHAPError.Code) -> AHAPError {
        AHAPError(
            code: code, rule: .missingKey, location: location(of: value),
            message: "this object has no \"\(key.rawValue)\"", advice: "add the key")
    }

    /// Reports a key that AHAP does not define for the object, and ignores it.
    mutating func unknown(
        _ member: JSONObject.Member, among allowed: [AHAPKey], _ code: AHAPError.Code
    ) throws(AHAPError) {
        let advice = Spelling.advice(forKey: member.key, among: allowed)
        try report.repair(
            .unknownKey, code, at: inEntry(member.keyLocation),
            "the key \"\(member.key.excerpt)\" is unknown and is ignored", advice: advice.text,
            fix: advice.isName ? nil : .removeMember)
    }

    /// Returns the name that a string contains; nil if no name matches. If the string differs from
    /// a name only in upper and lower case, the difference is repaired.
    mutating func name<Name>(
        _ member: JSONObject.Member, as type: Name.Type, _ code: AHAPError.Code
    ) throws(AHAPError) -> Name? where Name: CaseIterable & RawRepresentable<String> {
        let text = try string(member, code)
        if let name = Name(rawValue: text) { return name }
        guard let name = Spelling.anyCase(text, in: type) else { return nil }
        try report.repair(
            .misspelledName, code, at: location(of: member.value),
            "\"\(text)\" is read as \"\(name.rawValue)\"", advice: "write \"\(name.rawValue)\"",
            fix: .replace("\"\(name.rawValue)\""))
        return name
    }
}
