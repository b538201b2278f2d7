// MessageError: the reason why a payload is not a valid message.

/// The reason why a payload is not a valid message of its type.
public enum MessageError: Error, Equatable, Sendable {
    /// The payload ends before the last field of the message. A device responds with
    /// `REJECT_LENGTH` (SPEC 4.1).
    case tooShort(count: Int, needed: Int)
}
