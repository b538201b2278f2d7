// OSCMap: built-in rules for widely used programs.

import EmbeddedFiles

/// A built-in file of rules.
public enum OSCMap: String, Sendable, CaseIterable {
    case vrchat, reahaptic

    /// The bytes of the file.
    public var file: [UInt8] { EmbeddedFile.bytes("maps/\(rawValue).json") }
}
