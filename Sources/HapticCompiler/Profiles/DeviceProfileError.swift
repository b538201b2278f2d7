// DeviceProfileError: the error in an invalid profile file.

import HapticPatterns
import JSONText

/// An error in a profile file.
public struct DeviceProfileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The location of the error in the file; nil if the error concerns the whole file.
    public var location: SourceLocation?
    /// A description of the error, in one sentence without a period.
    public var message: String

    /// The text of the error, in the form `line:column: error: message`.
    public var description: String { (location.map { "\($0): " } ?? "") + "error: \(message)" }
}
