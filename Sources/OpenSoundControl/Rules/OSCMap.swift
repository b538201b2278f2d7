// OSCMap: rules for programs that many people use.

import EmbeddedFiles

/// Rules that come with the tool.
public enum OSCMap: String, Sendable, CaseIterable {
    case vrchat, reahaptic

    /// The contents of the file.
    public var file: [UInt8] { EmbeddedFile.bytes("maps/\(rawValue).json") }
}
