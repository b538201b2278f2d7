// StudioError: the reason why a request from the page failed.

/// The reason why a request from the page failed, with advice.
struct StudioError: Error, Sendable, Equatable {
    /// A description of the error with its location, in one sentence without a period.
    var message: String
    /// Advice on how to correct the error, in one sentence without a period; nil if no advice is
    /// available.
    var advice: String?

    /// Creates an error.
    init(_ message: String, advice: String? = nil) {
        (self.message, self.advice) = (message, advice)
    }
}
