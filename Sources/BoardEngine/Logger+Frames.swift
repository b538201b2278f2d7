// The log of the frames of a link.

import BridgeLink
import Logging

extension Logger {
    /// Logs a frame of the link.
    package func trace(_ frame: Frame, _ direction: FrameDirection) {
        trace(
            "\(direction.rawValue) \(frame.words)",
            metadata: ["sequence": "\(frame.sequence)"])
    }
}

extension Frame {
    fileprivate var words: String {
        (try? Message(type: type, payload: payload)).map { "\($0)" } ?? "\(self)"
    }
}
