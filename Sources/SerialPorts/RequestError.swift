// RequestError: the reason why a request over a link failed.

import BridgeLink
import CBridgeProtocol

/// The reason why a request over a link failed, in addition to `TransportError` and `LinkEnd`.
public enum RequestError: Error, Hashable, Sendable {
    /// The device did not carry out the request.
    case rejected(Reject)
    /// A STOP ended the request, or its outcome is unknown.
    case dropped
    /// The device did not answer a query or report the outcome of a command, although the link
    /// works.
    case unanswered
    /// The request was made from within `follow` during `play`. It would receive the answers that
    /// belong to the playback.
    case playing
}

extension RequestError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .rejected(let reject): "\(reject)"
        case .dropped: "a stop ended the request, or its answer was lost"
        case .unanswered: "the board does not answer"
        case .playing: "the board is playing and answers no other request until it has finished"
        }
    }
}
