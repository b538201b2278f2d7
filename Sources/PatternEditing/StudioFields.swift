// StudioFields: the members of a message, each of the type that is expected.

import JSONText

/// The members of a message of a page.
struct StudioFields {
    private let object: JSONObject

    /// The latest time in a pattern, in seconds: a day, which is also the greatest length.
    private static let timeMax = 86_400.0

    init(_ object: JSONObject) { self.object = object }

    /// Whether there is a member that is not null.
    func has(_ key: String) -> Bool {
        guard let kind = object[key]?.kind else { return false }
        return kind != .null
    }

    func text(_ key: String) throws(StudioError) -> String {
        guard case .string(let text)? = object[key]?.kind else { throw wrong(key, "a text") }
        return text
    }

    func flag(_ key: String, default value: Bool? = nil) throws(StudioError) -> Bool {
        if let value, !has(key) { return value }
        guard case .bool(let flag)? = object[key]?.kind else { throw wrong(key, "true or false") }
        return flag
    }

    func number(_ key: String, in range: ClosedRange<Double>) throws(StudioError) -> Double {
        let expected = "a number from \(range.lowerBound) to \(range.upperBound)"
        guard case .number(let text)? = object[key]?.kind, let value = Double(text),
            range.contains(value)
        else { throw wrong(key, expected) }
        return value
    }

    /// A time in seconds.
    func time(_ key: String, default value: Double? = nil) throws(StudioError) -> Double {
        if let value, !has(key) { return value }
        return try number(key, in: 0...Self.timeMax)
    }

    func whole(_ key: String) throws(StudioError) -> Int {
        guard case .number(let text)? = object[key]?.kind, let value = Int(text), value >= 0 else {
            throw wrong(key, "a whole number")
        }
        return value
    }

    func version(_ key: String) throws(StudioError) -> StudioVersion {
        guard let version = StudioVersion(rawValue: try text(key)) else {
            throw wrong(key, "\"A\" or \"B\"")
        }
        return version
    }

    // MARK: Edits

    func edits(_ key: String) throws(StudioError) -> [StudioEdit] {
        guard case .array(let values)? = object[key]?.kind else { throw wrong(key, "a list") }
        var edits: [StudioEdit] = []
        for value in values {
            guard case .object(let object) = value.kind else { throw wrong(key, "a list of edits") }
            edits.append(StudioEdit(try StudioFields(object).edit()))
        }
        return edits
    }

    private func edit() throws(StudioError) -> JSONEdit {
        let path = try path("path")
        switch try text("op") {
        case "set": return JSONEdit(.set(try value("value")), at: path)
        case "insert": return JSONEdit(.insert(try value("value")), at: path)
        case "remove" where !path.isEmpty: return JSONEdit(.remove, at: path)
        case let operation: throw StudioError("an edit cannot be \"\(operation.excerpt)\"")
        }
    }

    private func path(_ key: String) throws(StudioError) -> [JSONPathStep] {
        guard case .array(let values)? = object[key]?.kind else { throw wrong(key, "a path") }
        var path: [JSONPathStep] = []
        for value in values {
            switch value.kind {
            case .string(let key): path.append(.key(key))
            case .number(let text):
                guard let index = Int(text), index >= 0 else { throw wrong(key, "a path") }
                path.append(.index(index))
            default: throw wrong(key, "a path")
            }
        }
        return path
    }

    private func value(_ key: String) throws(StudioError) -> JSONValue {
        guard let value = object[key] else { throw wrong(key, "a value") }
        return value
    }

    private func wrong(_ key: String, _ expected: String) -> StudioError {
        StudioError("a message of the page: \"\(key.excerpt)\" has to be \(expected)")
    }
}
