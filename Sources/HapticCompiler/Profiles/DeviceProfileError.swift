// DeviceProfileError: why a file is no profile.

import HapticPatterns
import JSONText

/// The reason why a profile was refused.
public struct DeviceProfileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The location of the error in the file; nil if it has none.
    public var location: SourceLocation?
    /// A description of what was found, in one sentence without a full stop.
    public var message: String

    /// The text of the error, in the form `line:column: error: message`.
    public var description: String { (location.map { "\($0): " } ?? "") + "error: \(message)" }
}
