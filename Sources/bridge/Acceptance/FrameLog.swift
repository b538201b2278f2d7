// FrameLog: the frames of a link with their times, for an acceptance report.

import BridgeLink
import HapticBridge
import SerialPorts

/// A frame of a report. Its text is the time since the start of the step in microseconds, ">" for a
/// frame to the board or "<" for one from the board, and type, sequence byte and payload in
/// hexadecimal: "1520 > 2001".
struct LoggedFrame: Equatable {
    var time: Microseconds
    var direction: FrameDirection
    var frame: Frame

    var text: String {
        let bytes = [frame.type.rawValue, frame.sequence] + frame.payload
        return "\(time) \(direction == .sent ? ">" : "<") \(bytes.hexadecimal)"
    }

    init(time: Microseconds, _ direction: FrameDirection, _ frame: Frame) {
        (self.time, self.direction, self.frame) = (time, direction, frame)
    }

    /// Creates a frame from its text; nil if the text is invalid.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let time = Microseconds(String(words[0])),
            0...Self.timeMax ~= time, [">", "<"].contains(words[1]),
            let bytes = [UInt8](hexadecimal: words[2].utf8),
            bytes.count >= 2, bytes.count - 2 <= Frame.payloadMax
        else { return nil }
        self.init(
            time: time, words[1] == ">" ? .sent : .received,
            Frame(
                type: MessageType(rawValue: bytes[0]), sequence: bytes[1],
                payload: Array(bytes[2...])))
    }

    /// The maximum time of a frame: an hour.
    private static let timeMax: Microseconds = 3_600_000_000
}

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
                // A step whose frames do not fit in a report has none and cannot be replayed.
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

    /// The recorded frames as texts.
    var texts: [String] { log.withLock { $0.frames.map(\.text) } }
}
