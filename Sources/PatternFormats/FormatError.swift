// FormatError: why a file of another format was refused.

import JSONText

/// The refusal of a file: what is wrong, where it is, and what to do about it.
public struct FormatError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A place in a file.
    public enum Place: Sendable, Hashable {
        /// A line and a column, in a text.
        case text(SourceLocation)
        /// The offset of a byte, in a binary file.
        case byte(Int)
    }

    /// The place of the first thing that cannot be read; nil if the file as a whole is refused.
    public var place: Place?
    /// The finding, in one sentence without a full stop.
    public var message: String
    /// The remedy, in one sentence without a full stop.
    public var advice: String

    /// Makes a refusal.
    public init(at place: Place?, _ message: String, advice: String) {
        self.place = place
        self.message = message
        self.advice = advice
    }

    /// Makes a refusal with a location in a text.
    public init(at location: SourceLocation?, _ message: String, advice: String) {
        self.init(at: location.map(Place.text), message, advice: advice)
    }

    /// Makes the refusal of a text that is no JSON.
    public init(_ error: JSONError) {
        self.init(at: error.location, error.message, advice: error.advice)
    }

    /// `line:column: error: message`, or `byte 12: error: message`.
    public var description: String { position + "error: \(message)" }

    /// The place in front of a message, with a colon and a space; empty if there is none.
    private var position: String {
        switch place {
        case .text(let location): "\(location): "
        case .byte(let offset): "byte \(offset): "
        case nil: ""
        }
    }
}

/// The greatest sizes that a file may ask for.
public enum FormatLimits {
    /// The most bytes of a file, as for AHAP: 16 MB.
    public static let bytes = 16 << 20
    /// The most points, taps, notes and steps of a file together: 100,000.
    public static let points = 100_000
    /// The latest time of anything, in microseconds: one day.
    public static let latest: Int64 = 86_400_000_000
}
