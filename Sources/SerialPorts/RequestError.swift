// RequestError: the reason why a request over a link failed.

import BridgeLink
import CBridgeProtocol

/// A reason why a request over a link failed. A request can also fail with `TransportError` and
/// `LinkEnd`.
public enum RequestError: Error, Hashable, Sendable {
    /// The device did not carry out the request.
    case rejected(Reject)
    /// A STOP ended the request, or the outcome of the request is unknown.
    case dropped
    /// The device did not answer a query or did not report the outcome of a command, although the
    /// link works.
    case unanswered
    /// `follow` made the request during `play`. Such a request would receive answers that belong to
    /// the playback.
    case playing
}

extension RequestError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .rejected(let reject): "\(reject)"
        case .dropped: "a stop ended the request, or its answer was lost"
        case .unanswered: "the board does not answer"
        case .playing:
            "the board is playing and answers no other request until the playback has finished"
        }
    }
}
