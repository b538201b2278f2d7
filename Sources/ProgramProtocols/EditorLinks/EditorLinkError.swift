// EditorLinkError: the reason why data from an editor is invalid.

/// The reason why data from an editor is invalid, and the expected data.
public struct EditorLinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A description of the error, in one sentence without a period.
    public let message: String

    init(_ message: String) { self.message = message }

    /// A description of the error, in one sentence without a period.
    public var description: String { message }
}
