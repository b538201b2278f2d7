// FormatError: the reason why a file in another format is rejected.

import JSONText

/// The rejection of a file: the error, its position, and advice on how to correct it.
public struct FormatError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A position in a file.
    public enum Location: Sendable, Hashable {
        /// The line and column in a text file.
        case text(SourceLocation)
        /// The offset of a byte in a binary file.
        case byte(Int)
    }

    /// The position of the first error; nil if the error concerns the file as a whole.
    public var location: Location?
    /// The description of the error: one sentence without a period.
    public var message: String
    /// Advice on how to correct the error: one sentence without a period.
    public var advice: String

    /// Creates an error.
    public init(at location: Location?, _ message: String, advice: String) {
        self.location = location
        self.message = message
        self.advice = advice
    }

    /// Creates an error with a location in a text.
    public init(at location: SourceLocation?, _ message: String, advice: String) {
        self.init(at: location.map(Location.text), message, advice: advice)
    }

    /// Creates an error for a text that is not valid JSON.
    public init(_ error: JSONError) {
        self.init(at: error.location, error.message, advice: error.advice)
    }

    /// The error in the form `line:column: error: message`, or `byte 12: error: message`.
    public var description: String { position + "error: \(message)" }

    /// The position as a prefix of a message, followed by a colon and a space; empty if there is no
    /// position.
    private var position: String {
        switch location {
        case .text(let location): "\(location): "
        case .byte(let offset): "byte \(offset): "
        case nil: ""
        }
    }
}

/// The limits for the contents of a file.
public enum FormatLimits {
    /// The maximum size of a file in bytes, as for AHAP: 16 MB.
    public static let bytes = 16 << 20
    /// The maximum total number of points, taps, notes and steps in a file: 100,000.
    public static let points = 100_000
    /// The maximum time in a file, in microseconds: one day.
    public static let latest: Int64 = 86_400_000_000
}
