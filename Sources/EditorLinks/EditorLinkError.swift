// EditorLinkError: the reason why data from an editor is invalid.

/// The reason why data from an editor is invalid, and the data that was expected.
public struct EditorLinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A description of the error, in one sentence without a period.
    public let message: String

    init(_ message: String) { self.message = message }

    /// A description of the error, in one sentence without a period.
    public var description: String { message }
}

extension String {
    /// The text without control characters and limited to a few words, for displaying names that
    /// were received over a network.
    public var asNameOfStranger: String {
        let visible = unicodeScalars.filter {
            switch $0.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
                .paragraphSeparator:
                false
            default: true
            }
        }
        return String(UnicodeScalarView(visible)).excerpt
    }
}
