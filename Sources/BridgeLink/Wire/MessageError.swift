// MessageError: why a payload is no message.

/// The reason why a payload is not the message that its type indicates.
public enum MessageError: Error, Equatable, Sendable {
    /// The payload ends before the last field of the message; a device answers this with
    /// `REJECT_LENGTH` (SPEC 4.1).
    case tooShort(count: Int, needed: Int)
}
