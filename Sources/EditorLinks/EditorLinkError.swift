// EditorLinkError: why what an editor has sent was refused.

/// The refusal of what an editor has sent: what is wrong with it, and what was expected.
public struct EditorLinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The finding, in one sentence without a full stop.
    public let message: String

    init(_ message: String) { self.message = message }

    /// The finding, in one sentence without a full stop.
    public var description: String { message }
}

extension String {
    /// The text without what moves a terminal's cursor or hides other text, shortened to a few
    /// words: for a name that came over a network.
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
