// PatternFormat: the protocols for pattern file formats.

import HapticPatterns
import JSONText

/// A pattern read from a file in another format.
public struct ReadPattern: Sendable {
    /// The pattern in the model of Core Haptics.
    public var pattern: HapticPattern
    /// The parts of the file that the pattern does not contain.
    public var losses: [FormatLoss]

    /// Creates the result of reading a file.
    public init(_ pattern: HapticPattern, losses: [FormatLoss] = []) {
        self.pattern = pattern
        self.losses = losses
    }
}

/// The contents of a file, classified so that the format can be detected.
public enum FormatContent {
    /// A JSON text whose root is an object.
    case json(JSONObject)
    /// A JSON text whose root is an array of numbers.
    case numbers
    /// A text that begins with `<`.
    case markup
    /// Any other contents.
    case bytes(ArraySlice<UInt8>)
}

/// A pattern file format.
public protocol PatternFormat: AnyObject, Sendable {
    /// The name in options and messages, in lower case.
    var name: String { get }
    /// A short description.
    var summary: String { get }
    /// The file name extension, without the dot.
    var fileExtension: String { get }
    /// The relation between amplitude and intensity that applies unless the caller specifies
    /// another relation; nil if the format has no amplitudes.
    var intensityLaw: IntensityLaw? { get }

    /// Returns whether a file is in this format.
    func recognizes(_ content: FormatContent) -> Bool

    /// Reads the bytes of a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern
}

/// A pattern file format that can be written as well as read.
public protocol WritablePatternFormat: PatternFormat {
    /// Returns a file that contains the parts of a pattern that the format can represent. Throws an
    /// error if the file would exceed the limits of the format.
    func write(_ pattern: HapticPattern, law: IntensityLaw) throws(FormatError) -> [UInt8]
}

extension JSONValue {
    /// Reads a JSON text whose root is an object.
    package static func read(_ bytes: [UInt8]) throws(FormatError) -> JSONFields {
        try JSONFields(root(of: bytes))
    }

    /// Reads a JSON text.
    package static func root(of bytes: [UInt8]) throws(FormatError) -> JSONValue {
        do throws(JSONError) {
            return try JSONReader.read(bytes).value
        } catch {
            throw FormatError(error)
        }
    }

    /// True if the value is an array that begins with a number.
    package var isListOfNumbers: Bool {
        guard case .array(let elements) = kind, case .number? = elements.first?.kind else {
            return false
        }
        return true
    }

    /// Creates an object with its members in the given order.
    package static func members(_ members: (String, JSONValue)...) -> JSONValue {
        JSONValue(.object(JSONObject(members.map { JSONObject.Member($0.0, $0.1) })))
    }

    /// Creates a string.
    package static func text(_ text: String) -> JSONValue { JSONValue(.string(text)) }

    /// Creates an array.
    package static func list(_ elements: [JSONValue]) -> JSONValue { JSONValue(.array(elements)) }

    /// Creates a whole number.
    package static func whole(_ number: Int64) -> JSONValue {
        JSONValue(.number(text: "\(number)"))
    }

    /// Creates a number rounded to six decimals.
    package static func rounded(_ number: Double) -> JSONValue {
        .number((number * 1e6).rounded() / 1e6)
    }

    /// Creates a number of seconds from a time in microseconds.
    package static func seconds(_ time: Microseconds) -> JSONValue { .number(Double(time) / 1e6) }
}
