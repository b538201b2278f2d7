// RequestError: why a request over a link failed.

import BridgeLink
import CBridgeProtocol

/// The reason why a request over a link failed, in addition to `TransportError` and `LinkEnd`.
public enum RequestError: Error, Hashable, Sendable {
    /// The device did not carry out the request.
    case rejected(Reject)
    /// A STOP ended it, or its outcome is unknown.
    case dropped
    /// No answer to a query and no outcome of a command, on a link that is otherwise alive.
    case unanswered
    /// The request was made from `follow` during `play`, and would receive the answers that are
    /// meant for the playback.
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
