// Tests of the TypeScript declarations of the messages between `bridge studio` and its page.

import Foundation
import JSONText
import TestSupport
import Testing

@testable import Studio

@Suite struct StudioDeclarationTests {
    /// Compares the declarations of the page with the declarations derived from the tool's own
    /// types and reader. If `HAPTIC_BRIDGE_WRITE_PAGE` is set, writes the derived declarations to
    /// the file.
    @Test func thePageDeclaresTheMessagesOfTheTool() throws {
        let file = PackageFolder.url.appending(path: "Sources/Studio/Page/messages.d.ts")
        let text = try Self.declarations()
        if ProcessInfo.processInfo.environment["HAPTIC_BRIDGE_WRITE_PAGE"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let declared = try String(contentsOf: file, encoding: .utf8)
        #expect(declared == text, "run make page-messages to update the declarations")
    }

    static func declarations() throws -> String {
        var types = DeclaredTypes()
        let answers = try StudioMessageType.allCases.map { type in
            let name = types.name(of: type.message)
            var members = ["type: \"\(type.rawValue)\""] + (try types.members(of: type.message))
            if type == .document { members.append("document?: unknown") }
            types.text += DeclaredTypes.interface(name, members)
            return name
        }
        var requests: [String] = []
        for type in StudioRequestType.allCases {
            for action in type == .abx ? StudioTestAction.allCases : [.start] {
                requests.append(
                    DeclaredFields(of: [type, action]) { try StudioRequest.request($0) }.text)
            }
        }
        let edits = StudioOperation.allCases.map { operation in
            DeclaredFields(of: [operation]) { try $0.edit() }.text
        }
        return """
            // The messages between the page and `bridge studio`. `make page-messages` writes this file.

            \(types.text)/** A message from the tool. */
            export type ToolMessage =
              | \(answers.joined(separator: "\n  | "));

            /** An operation of JSON Patch (RFC 6902). */
            export type Edit =
              | \(edits.joined(separator: "\n  | "));

            /** A message from the page. */
            export type PageMessage =
              | \(requests.joined(separator: "\n  | "));

            """
    }
}

/// A recorder of the members that the tool reads from one kind of message or edit.
private final class DeclaredFields: StudioReading {
    /// The values that select the kind of message or edit.
    private let kind: [any StudioChoice]
    private var members: [String] = []
    private var optional: Set<String> = []

    /// Records the members that `read` reads.
    init(of kind: [any StudioChoice], _ read: (DeclaredFields) throws -> Any) {
        self.kind = kind
        // The returned values pass all checks of the reader. If a check failed, the declaration
        // would lack a member.
        _ = try? read(self)
    }

    /// The declaration of an object with these members.
    var text: String { "{ \(members.joined(separator: "; ")) }" }

    private func declare(_ key: String, _ type: String) {
        members.append("\(key)\(optional.contains(key) ? "?" : ""): \(type)")
    }

    func has(_ key: String) -> Bool {
        optional.insert(key)
        return true
    }

    func text(_ key: String) -> String {
        declare(key, "string")
        // The text is also a valid path to a part of a document.
        return "/0"
    }

    func flag(_ key: String) -> Bool {
        declare(key, "boolean")
        return false
    }

    func number(_ key: String, in range: ClosedRange<Double>) -> Double {
        declare(key, "number")
        // The end of a part to play must be later than its start.
        return min(range.upperBound, range.lowerBound + Double(members.count))
    }

    func whole(_ key: String) -> Int {
        declare(key, "number")
        return 0
    }

    func choice<Choice: StudioChoice>(_ key: String, of type: Choice.Type) -> Choice {
        let chosen = kind.compactMap { $0 as? Choice }.first
        let names = (chosen.map { [$0] } ?? Array(Choice.allCases)).map { "\"\($0.rawValue)\"" }
        declare(key, names.joined(separator: " | "))
        return chosen ?? Choice.allCases.first!
    }

    func value(_ key: String) -> JSONValue {
        declare(key, "unknown")
        return JSONValue(.null)
    }

    func edits(_ key: String) -> [StudioEdit] {
        declare(key, "Edit[]")
        return []
    }
}

/// The declarations of the types in messages from the tool. A decoder records the members of each
/// type.
private struct DeclaredTypes {
    var text = ""
    private var known: Set<String> = []

    /// Returns the name of a type.
    func name(of type: Any.Type) -> String { "\(type)" }

    static func interface(_ name: String, _ members: [String]) -> String {
        "export interface \(name) {\n" + members.map { "  \($0);\n" }.joined() + "}\n\n"
    }

    /// Returns the members of a type, and declares the types of these members.
    mutating func members(of type: any Decodable.Type) throws -> [String] {
        let record = MemberRecord()
        _ = try type.init(from: RecordingDecoder(record: record))
        return try record.members.map { member in
            let mark = record.optional.contains(member.name) ? "?" : ""
            return "\(member.name)\(mark): \(try declaration(of: member.type))"
        }
    }

    private mutating func declaration(of type: any Decodable.Type) throws -> String {
        switch type {
        case is String.Type: return "string"
        case is Bool.Type: return "boolean"
        case is Double.Type, is Int.Type: return "number"
        case let list as any DeclaredList.Type: return try declaration(of: list.element) + "[]"
        case let choice as any DeclaredChoice.Type:
            return choice.names.map { "\"\($0)\"" }.joined(separator: " | ")
        default:
            let name = name(of: type)
            guard known.insert(name).inserted, !(type is any StudioMessage.Type) else {
                return name
            }
            let members = try members(of: type)
            text += Self.interface(name, members)
            return name
        }
    }
}

/// A list whose elements have one type.
private protocol DeclaredList {
    static var element: any Decodable.Type { get }
}

extension Array: DeclaredList where Element: Decodable {
    fileprivate static var element: any Decodable.Type { Element.self }
}

/// A string that is one of several names.
private protocol DeclaredChoice {
    static var names: [String] { get }
}

extension DeclaredChoice where Self: CaseIterable & RawRepresentable, RawValue == String {
    fileprivate static var names: [String] { allCases.map(\.rawValue) }
}

extension StudioMessages.Cause: DeclaredChoice {}
extension StudioMessages.PredictionKind: DeclaredChoice {}
extension StudioMessages.Verdict: DeclaredChoice {}
extension StudioRequest.Subject: DeclaredChoice {}

/// The members that a type decodes.
private final class MemberRecord {
    var members: [(name: String, type: any Decodable.Type)] = []
    var optional: Set<String> = []
}

/// A decoder that provides a value for each member, and records the member's name and type.
private struct RecordingDecoder: Decoder {
    let record: MemberRecord
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RecordingContainer(record: record))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unexpected() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Unexpected() }
}

/// The error thrown for a type of member that messages do not contain.
private struct Unexpected: Error {}

private struct RecordingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let record: MemberRecord
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool {
        record.optional.insert(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool { false }

    private func record<Value: Decodable>(_ key: Key, _ value: Value) -> Value {
        record.members.append((key.stringValue, Value.self))
        return value
    }

    func decode(_ type: Bool.Type, forKey key: Key) -> Bool { record(key, false) }
    func decode(_ type: String.Type, forKey key: Key) -> String { record(key, "") }
    func decode(_ type: Double.Type, forKey key: Key) -> Double { record(key, 0) }
    func decode(_ type: Float.Type, forKey key: Key) -> Float { record(key, 0) }
    func decode(_ type: Int.Type, forKey key: Key) -> Int { record(key, 0) }
    func decode(_ type: Int8.Type, forKey key: Key) -> Int8 { record(key, 0) }
    func decode(_ type: Int16.Type, forKey key: Key) -> Int16 { record(key, 0) }
    func decode(_ type: Int32.Type, forKey key: Key) -> Int32 { record(key, 0) }
    func decode(_ type: Int64.Type, forKey key: Key) -> Int64 { record(key, 0) }
    func decode(_ type: UInt.Type, forKey key: Key) -> UInt { record(key, 0) }
    func decode(_ type: UInt8.Type, forKey key: Key) -> UInt8 { record(key, 0) }
    func decode(_ type: UInt16.Type, forKey key: Key) -> UInt16 { record(key, 0) }
    func decode(_ type: UInt32.Type, forKey key: Key) -> UInt32 { record(key, 0) }
    func decode(_ type: UInt64.Type, forKey key: Key) -> UInt64 { record(key, 0) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        // Decodes a value from JSON: the first name of a choice, an empty list, or recorded
        // members.
        if let choice = type as? any DeclaredChoice.Type {
            let text = Data("[\"\(choice.names[0])\"]".utf8)
            return record(key, try JSONDecoder().decode([Value].self, from: text)[0])
        }
        if type is any DeclaredList.Type {
            return record(key, try JSONDecoder().decode(Value.self, from: Data("[]".utf8)))
        }
        return record(key, try Value(from: RecordingDecoder(record: MemberRecord())))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw Unexpected() }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw Unexpected()
    }

    func superDecoder() throws -> any Decoder { throw Unexpected() }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw Unexpected() }
}
