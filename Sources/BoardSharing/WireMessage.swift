// WireMessage: reads the messages of both sides, and describes invalid messages.

import Foundation
import JSONText

/// A message of either side. The members of the message depend on its type.
protocol WireMessage: Codable, Equatable {
    var type: String { get }
}

extension WireMessage {
    /// Returns the value of a member that every message of this type must contain.
    func need<Value>(
        _ member: KeyPath<Self, Value?>, _ name: String
    ) throws(WireError) -> Value {
        guard let value = self[keyPath: member] else {
            throw WireError(description: "\(type): the member `\(name)` is missing")
        }
        return value
    }
}

extension Decodable {
    /// Reads a message or a part of a message.
    ///
    /// - Throws: `WireError` with the location of a syntax error, or of a number that is out of range
    ///   or is not an integer although it must be; otherwise the error of the decoder.
    init(reading data: Data) throws {
        do {
            self = try JSONDecoder().decode(Self.self, from: data)
        } catch DecodingError.dataCorrupted(let context) {
            // The decoder does not report the location of these errors.
            if let error = WireError(malformed: data) { throw error }
            throw DecodingError.dataCorrupted(context)
        }
    }
}

/// The error for an invalid message.
struct WireError: Error, CustomStringConvertible {
    let description: String

    init(description: String) { self.description = description }

    /// Creates the description of a syntax error, or of a number that is out of range or is not an
    /// integer; nil if the text contains none of these.
    fileprivate init?(malformed data: Data) {
        do {
            let value = try JSONReader.read(Array(data), mode: .strict).value
            if let number = value.numberOutOfRange {
                description = "\(number.excerpt) is out of range"
            } else if let number = value.memberThatIsNoInteger {
                description = "\(number.excerpt) is not an integer"
            } else {
                return nil
            }
        } catch {
            description = "\(error.location): \(error.message)"
        }
    }

    /// Creates the description of an error that occurred while a message was read.
    init(_ error: any Error) {
        func text(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map { key in
                key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)"
            }
            let member = path.joined().drop { $0 == "." }
            return (member.isEmpty ? "" : "\(member): ") + context.debugDescription
        }
        switch error {
        case let error as WireError: self = error
        case MessageConnection.Failure.tooLong(let count):
            description =
                "the message has \(count) bytes; the maximum is \(MessageConnection.lengthMax)"
        case MessageConnection.Failure.forged:
            description =
                "the authentication code of the message does not match the key"
        case DecodingError.keyNotFound(let key, _):
            description = "the member `\(key.stringValue)` is missing"
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            description = text(context)
        default: description = "\(error)"
        }
    }

    /// The text that is shown to the user of a program after the program has received an invalid
    /// message from the process that serves its board.
    var fromServer: String {
        "invalid message from the process that serves the board: \(self); install the same version "
            + "of both programs"
    }
}

extension JSONValue {
    /// The location and the text of a number.
    fileprivate var excerpt: String {
        guard case .number(let text) = kind else { return "" }
        return (location.map { "\($0): " } ?? "") + "the number \(text.excerpt)"
    }

    /// The first number that is too large for a `Double`; nil if there is none.
    fileprivate var numberOutOfRange: JSONValue? {
        var values: [JSONValue] = []
        switch kind {
        case .number(let text): return Double(text)?.isFinite == true ? nil : self
        case .array(let elements): values = elements
        case .object(let object): values = object.members.map(\.value)
        default: break
        }
        for value in values {
            if let number = value.numberOutOfRange { return number }
        }
        return nil
    }

    /// The first number that is a member of a message and is not an integer although it must be; nil if
    /// there is none.
    fileprivate var memberThatIsNoInteger: JSONValue? {
        guard case .object(let object) = kind else { return nil }
        return object.members.first { member in
            guard case .number(let text) = member.value.kind, member.key != "rate" else {
                return false
            }
            return Int64(text) == nil
        }?.value
    }
}
