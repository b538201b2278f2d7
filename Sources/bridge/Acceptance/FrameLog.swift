// FrameLog: the frames of a link with their times, for an acceptance report.

import AcceptanceReports
import BridgeLink
import HapticBridge
import SerialPorts

/// Records the frames of a link. Thread-safe.
final class FrameLog: Sendable {
    private let begun: HostTime
    /// The frames, and the number of bytes of all frames so far.
    private let log = LockedValue((frames: [LoggedFrame](), bytes: 0))
    /// The maximum number of bytes of the frames. A step has at most a fifth of them.
    private static let bytesMax = 1 << 20

    init(begun: HostTime = Link.now()) { self.begun = begun }

    /// Records the frames of a board's link from now on.
    func attach(to board: HapticBoard) {
        board.link.frameObserver = { [self] direction, frame in
            let time = Link.now() - begun
            let logged = LoggedFrame(time: time, direction, Self.anonymous(frame))
            log.withLock { log in
                log.bytes += frame.wireSize
                // A step whose frames do not fit in a report contains no frames and cannot be
                // replayed.
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
