// EventStreamError: the error in bytes that are not valid event code.

/// An error in event code. Offsets are in bytes from the start of the stream.
public enum EventStreamError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code ends at `offset`, in the middle of an event.
    case truncated(offset: Int)
    /// The code ends without END.
    case missingEnd(offset: Int)
    /// The code has bytes after END.
    case afterEnd(offset: Int)
    /// A delta or a duration takes more than three bytes.
    case literalTooLong(offset: Int)
    /// A special has fewer arguments than its code requires.
    case shortSpecial(offset: Int)
    /// The code contains more events and waits than the limit allows, including the events that
    /// copies repeat.
    case tooManyEvents(offset: Int, limit: Int)

    /// A description of the error.
    public var description: String {
        switch self {
        case .truncated(let offset): "byte \(offset): the event code stops inside an event"
        case .missingEnd(let offset): "byte \(offset): the event code stops without END"
        case .afterEnd(let offset): "byte \(offset): bytes after END"
        case .literalTooLong(let offset): "byte \(offset): a time of more than three bytes"
        case .shortSpecial(let offset): "byte \(offset): a special without its arguments"
        case .tooManyEvents(let offset, let limit): "byte \(offset): more than \(limit) events"
        }
    }
}
