// StudioFields: reads the members of a message and checks their types.

import JSONText

/// A source of the members of a message. The source is either a received message, or a test that
/// records which members are read and generates the declarations of the page from the recorded
/// members.
protocol StudioReading {
    /// Returns whether a member exists and is not null.
    func has(_ key: String) -> Bool
    func text(_ key: String) throws(StudioError) -> String
    func flag(_ key: String) throws(StudioError) -> Bool
    func number(_ key: String, in range: ClosedRange<Double>) throws(StudioError) -> Double
    func whole(_ key: String) throws(StudioError) -> Int
    /// Returns the value of a member whose value must be one of several names.
    func choice<Choice: StudioChoice>(
        _ key: String, of type: Choice.Type
    ) throws(StudioError) -> Choice
    func value(_ key: String) throws(StudioError) -> JSONValue
    func edits(_ key: String) throws(StudioError) -> [StudioEdit]
}

/// A type for members whose value must be one of several names.
protocol StudioChoice: RawRepresentable, CaseIterable, Sendable where RawValue == String {}

extension StudioReading {
    /// The maximum time and the maximum length in a pattern, in seconds: one day.
    private var timeMax: Double { 86_400 }

    /// Returns the value of a flag; false if the flag is missing.
    func optionalFlag(_ key: String) throws(StudioError) -> Bool {
        has(key) ? try flag(key) : false
    }

    /// Returns a time in seconds.
    func time(_ key: String) throws(StudioError) -> Double { try number(key, in: 0...timeMax) }

    fileprivate func wrong(_ key: String, _ expected: String) -> StudioError {
        StudioError("a message of the page: \"\(key.excerpt)\" must be \(expected)")
    }

    // MARK: Edits

    /// Returns the edit that the members describe.
    func edit() throws(StudioError) -> JSONEdit {
        let path = try path("path")
        switch try choice("op", of: StudioOperation.self) {
        case .add: return JSONEdit(.add(try value("value")), at: path)
        case .replace: return JSONEdit(.replace(try value("value")), at: path)
        case .remove:
            guard !path.isEmpty else { throw wrong("path", "the path of a part of the document") }
            return JSONEdit(.remove, at: path)
        }
    }

    /// Returns the steps of a JSON Pointer (RFC 6901). A number is always an index, because no AHAP
    /// key is a number.
    private func path(_ key: String) throws(StudioError) -> [JSONPathStep] {
        let pointer = try text(key)
        guard pointer.isEmpty || pointer.hasPrefix("/") else { throw wrong(key, "a JSON Pointer") }
        var path: [JSONPathStep] = []
        for token in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let name = unescaped(token) else { throw wrong(key, "a JSON Pointer") }
            let index = UInt32(name).map { Int($0) }
            path.append(index.flatMap { "\($0)" == name ? .index($0) : nil } ?? .key(name))
        }
        return path
    }

    /// Returns a part of a pointer after replacing `~1` with a slash and `~0` with a tilde; nil if
    /// a tilde is followed by any other character.
    private func unescaped(_ token: Substring) -> String? {
        let parts = token.split(separator: "~", omittingEmptySubsequences: false)
        var name = String(parts.first ?? "")
        for part in parts.dropFirst() {
            switch part.first {
            case "0": name += "~" + part.dropFirst()
            case "1": name += "/" + part.dropFirst()
            default: return nil
            }
        }
        return name
    }
}

/// The members of a message that a page has sent.
struct StudioFields: StudioReading {
    private let object: JSONObject

    init(_ object: JSONObject) { self.object = object }

    func has(_ key: String) -> Bool {
        guard let kind = object[key]?.kind else { return false }
        return kind != .null
    }

    func text(_ key: String) throws(StudioError) -> String {
        guard case .string(let text)? = object[key]?.kind else { throw wrong(key, "a text") }
        return text
    }

    func flag(_ key: String) throws(StudioError) -> Bool {
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

    func whole(_ key: String) throws(StudioError) -> Int {
        guard case .number(let text)? = object[key]?.kind, let value = Int(text), value >= 0 else {
            throw wrong(key, "a whole number")
        }
        return value
    }

    func choice<Choice: StudioChoice>(
        _ key: String, of type: Choice.Type
    ) throws(StudioError) -> Choice {
        guard let choice = Choice(rawValue: try text(key)) else {
            let names = Choice.allCases.map { "\"\($0.rawValue)\"" }
            throw wrong(key, "one of \(names.joined(separator: ", "))")
        }
        return choice
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

    func value(_ key: String) throws(StudioError) -> JSONValue {
        guard let value = object[key] else { throw wrong(key, "a value") }
        return value
    }
}
