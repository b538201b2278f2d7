// StudioError: what cannot be done, in words.

/// A refusal: what is wrong, and what to do about it.
public struct StudioError: Error, Sendable, Equatable {
    /// The place and what is wrong there, in one sentence without a full stop.
    public var message: String
    /// The advice on what to do, in one sentence without a full stop; nil if there is nothing.
    public var advice: String?

    /// Makes a refusal.
    public init(_ message: String, advice: String? = nil) {
        (self.message, self.advice) = (message, advice)
    }
}
