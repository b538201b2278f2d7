// A JSON value to an AHAPDocument: keys, types and names. What values mean comes later.

/// Reads the grammar of AHAP (AHAP-doc): the root and the entries of `Pattern`.
struct DocumentDecoder {
    var report: Report
    private let options: AHAPReader.Options
    /// The entry of `Pattern` that is being read.
    private var patternIndex: Int?
    /// The control points of all curves so far.
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
            case .version: version = try readVersion(member, code)
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
            code: .invalidPatternDictionary, rule: .missingPattern, place: value.place,
            message: message,
            advice: "put \"Pattern\": [ { \"Event\": ... } ] into the outermost object")
    }

    private mutating func readVersion(
        _ member: JSONObject.Member, _ code: AHAPError.Code
    ) throws(AHAPError) -> AHAPDocument.Number {
        let version = try number(member, code)
        if version.value > 1 {
            report.note(
                .newerVersion, at: version.place, "Version \(version.value) is not known here",
                advice: "check what the newer version means; it is read as version 1")
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
            values, atMost: options.mostEvents, "the \(options.mostEvents) entries of \"Pattern\"",
            code)
        for (index, value) in values.enumerated() {
            patternIndex = index
            try appendEntries(from: value, to: &entries)
        }
        if entries.isEmpty {
            throw missingPattern("\"Pattern\" has nothing that can be used", in: member.value)
        }
        return entries
    }

    /// Reads one element of `Pattern`, which gives one entry as a rule.
    private mutating func appendEntries(
        from value: JSONValue, to entries: inout [AHAPDocument.Entry]
    ) throws(AHAPError) {
        let code = AHAPError.Code.invalidPatternDictionary
        let members = try members(of: value, "an entry of \"Pattern\"", code)
        try checkCount(of: members.map(\.key).filter(Self.isEntryKey), in: value, code)
        for member in members {
            switch AHAPKey(rawValue: member.key) {
            case .event: entries.append(.event(try event(from: member.value)))
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

    /// An entry ought to have exactly one of the three keys.
    private mutating func checkCount(
        of known: [String], in value: JSONValue, _ code: AHAPError.Code
    ) throws(AHAPError) {
        if known.isEmpty {
            try report.repair(
                .unknownEntry, code, at: place(of: value),
                "an entry without Event, Parameter or ParameterCurve is ignored",
                advice: "give it one of the three, or remove it", fix: .removeOwner)
        } else if known.count > 1 {
            try report.repair(
                .mixedEntry, code, at: place(of: value),
                "an entry with \(known.joined(separator: " and ")); all are taken",
                advice: "give each an entry of its own", fix: .splitEntry)
        }
    }
}

// MARK: - Limits

extension DocumentDecoder {
    /// Counts the control points of a curve with those of the curves before it.
    mutating func count(controlPoints: [JSONValue]) throws(AHAPError) {
        let left = options.mostControlPoints - controlPointCount
        controlPointCount += controlPoints.count
        try check(
            controlPoints, atMost: left, "the \(options.mostControlPoints) control points",
            .badParameterEntry)
    }

    /// Refuses the first of some values that is one too many.
    private func check(
        _ values: [JSONValue], atMost most: Int, _ limit: String, _ code: AHAPError.Code
    ) throws(AHAPError) {
        guard values.count > most else { return }
        throw AHAPError(
            code: code, rule: .tooLarge, place: place(of: values[most]),
            message: "from here on there are more than \(limit) that are read",
            advice: "split the pattern into several files")
    }
}

// MARK: - Values of one type

extension DocumentDecoder {
    /// The place of a value, with the entry it belongs to.
    func place(of value: JSONValue) -> SourcePlace? { inEntry(value.place) }

    private func inEntry(_ place: SourcePlace?) -> SourcePlace? {
        place.map { SourcePlace(line: $0.line, column: $0.column, patternIndex: patternIndex) }
    }

    func members(
        of value: JSONValue, _ what: String, _ code: AHAPError.Code
    ) throws(AHAPError) -> [JSONObject.Member] {
        guard case .object(let object) = value.kind else {
            throw wrongType(value, "\(what) must be an object", code)
        }
        return object.members
    }

    func elements(
        _ member: JSONObject.Member, _ code: AHAPError.Code
    ) throws(AHAPError) -> [JSONValue] {
        guard case .array(let elements) = member.value.kind else {
            throw wrongType(member.value, "\"\(member.key)\" must be an array", code)
        }
        return elements
    }

    func string(
        _ member: JSONObject.Member, _ code: AHAPError.Code
    ) throws(AHAPError) -> String {
        guard case .string(let string) = member.value.kind else {
            throw wrongType(member.value, "\"\(member.key)\" must be a string", code)
        }
        return string
    }

    func bool(_ member: JSONObject.Member, _ code: AHAPError.Code) throws(AHAPError) -> Bool {
        guard case .bool(let bool) = member.value.kind else {
            throw wrongType(member.value, "\"\(member.key)\" must be true or false", code)
        }
        return bool
    }

    func number(
        _ member: JSONObject.Member, _ code: AHAPError.Code
    ) throws(AHAPError) -> AHAPDocument.Number {
        guard case .number(let text) = member.value.kind, let value = Double(text) else {
            throw wrongType(member.value, "\"\(member.key)\" must be a number", code)
        }
        return AHAPDocument.Number(value, place: place(of: member.value))
    }

    private func wrongType(
        _ value: JSONValue, _ message: String, _ code: AHAPError.Code
    ) -> AHAPError {
        AHAPError(
            code: code, rule: .wrongType, place: place(of: value),
            message: "\(message), and this is \(value.kindName)",
            advice: "write it as AHAP has it, for example { \"Time\": 0.5 }")
    }

    /// A refusal of an object that lacks a key without which it means nothing.
    func missing(_ key: AHAPKey, in value: JSONValue, _ code: AHAPError.Code) -> AHAPError {
        AHAPError(
            code: code, rule: .missingKey, place: place(of: value),
            message: "this object has no \"\(key.rawValue)\"", advice: "add it")
    }

    /// Ignores a key that AHAP does not have at this point.
    mutating func unknown(
        _ member: JSONObject.Member, among allowed: [AHAPKey], _ code: AHAPError.Code
    ) throws(AHAPError) {
        try report.repair(
            .unknownKey, code, at: inEntry(member.keyPlace),
            "the key \"\(Spelling.shortened(member.key))\" is not known here and is ignored",
            advice: Spelling.advice(forKey: member.key, among: allowed), fix: .removeMember)
    }

    /// The name that a string spells, repaired in its upper and lower case; nil if there is none.
    mutating func name<Name>(
        _ member: JSONObject.Member, as type: Name.Type, _ code: AHAPError.Code
    ) throws(AHAPError) -> Name? where Name: CaseIterable & RawRepresentable<String> {
        let text = try string(member, code)
        if let name = Name(rawValue: text) { return name }
        guard let name = Spelling.anyCase(text, in: type) else { return nil }
        try report.repair(
            .misspelledName, code, at: place(of: member.value),
            "\"\(text)\" is read as \"\(name.rawValue)\"", advice: "write \"\(name.rawValue)\"",
            fix: .replace("\"\(name.rawValue)\""))
        return name
    }
}
