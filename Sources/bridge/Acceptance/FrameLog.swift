// FrameLog: the frames of a link with their times, for an acceptance report.

import AcceptanceReports
import BridgeLink
import HapticBridge
import SerialPorts

/// Records the frames of a link. The methods may be called from any thread.
final class FrameLog: Sendable {
    private let begun: HostTime
    /// The frames, and the number of bytes of all frames so far.
    private let log = LockedValue((frames: [LoggedFrame](), bytes: 0))
    /// The maximum total size of the frames of a step, in bytes. The largest step produces a fifth
    /// of this number.
    private static let bytesMax = 1 << 20

    init(begun: HostTime = Link.now()) { self.begun = begun }

    /// Starts recording the frames of a board's link.
    func attach(to board: HapticBoard) {
        board.link.frameObserver = { [self] direction, frame in
            let time = Link.now() - begun
            let logged = LoggedFrame(time: time, direction, Self.anonymous(frame))
            log.withLock { log in
                log.bytes += frame.wireSize
                // If the frames of a step do not fit in a report, the report contains none of them
                // and the step cannot be replayed.
                if log.bytes > Self.bytesMax { log.frames = [] } else { log.frames.append(logged) }
            }
        }
    }

    /// Returns a frame without the id of the board.
    private static func anonymous(_ frame: Frame) -> Frame {
        guard
            case .welcome(var welcome)? = try? Message(type: frame.type, payload: frame.payload)
        else { return frame }
        welcome.boardID = 0
        return Frame(.welcome(welcome), sequence: frame.sequence)
    }

    /// The recorded frames.
    var frames: [LoggedFrame] { log.withLock(\.frames) }
}
