// PatternFormat: what a format of pattern files can do.

import HapticPatterns
import JSONText

/// A pattern that was read from a file of another format.
public struct ReadPattern: Sendable {
    /// The pattern, as Core Haptics plays it.
    public var pattern: HapticPattern
    /// The parts of the file that the pattern does not have.
    public var losses: [FormatLoss]

    /// Makes the result of reading a file.
    public init(_ pattern: HapticPattern, losses: [FormatLoss] = []) {
        self.pattern = pattern
        self.losses = losses
    }
}

/// The first look at a file: enough to know its format.
public enum FormatContent {
    /// A JSON text whose root is an object.
    case json(JSONObject)
    /// A text that begins with `<`.
    case markup
    /// Anything else.
    case bytes(ArraySlice<UInt8>)
}

/// A format of pattern files.
public protocol PatternFormat: Sendable {
    /// The name for options and messages, in lower case.
    var name: String { get }
    /// The description in a few words.
    var summary: String { get }
    /// The ending of file names, without the dot.
    var fileExtension: String { get }
    /// The relation between amplitude and intensity unless another one is asked for; nil for a format
    /// without amplitudes.
    var intensityLaw: IntensityLaw? { get }

    /// Returns whether a file is of this format.
    func recognizes(_ content: FormatContent) -> Bool

    /// Reads a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern
}

/// A format that can be written.
public protocol WritablePatternFormat: PatternFormat {
    /// Returns the bytes of a file that says of a pattern what the format can say.
    func write(_ pattern: HapticPattern, law: IntensityLaw) -> [UInt8]
}

extension JSONValue {
    /// Reads the JSON text of a format.
    package static func read(_ bytes: [UInt8]) throws(FormatError) -> JSONFields {
        do {
            return try JSONFields(JSONReader.read(bytes).value)
        } catch let error as JSONError {
            throw FormatError(error)
        } catch let error as FormatError {
            throw error
        } catch {
            throw FormatError(at: nil as FormatError.Place?, "\(error)", advice: "export it again")
        }
    }

    /// Makes an object that keeps the order of its keys.
    package static func members(_ members: (String, JSONValue)...) -> JSONValue {
        JSONValue(.object(JSONObject(members.map { JSONObject.Member($0.0, $0.1) })))
    }

    /// Makes a string.
    package static func text(_ text: String) -> JSONValue { JSONValue(.string(text)) }

    /// Makes an array.
    package static func list(_ elements: [JSONValue]) -> JSONValue { JSONValue(.array(elements)) }

    /// Makes a whole number.
    package static func whole(_ number: Int64) -> JSONValue {
        JSONValue(.number(text: "\(number)"))
    }

    /// Makes a number that is rounded to six decimals.
    package static func rounded(_ number: Double) -> JSONValue {
        .number((number * 1e6).rounded() / 1e6)
    }

    /// Makes the number of seconds of a time in microseconds.
    package static func seconds(_ time: Microseconds) -> JSONValue { .number(Double(time) / 1e6) }
}
