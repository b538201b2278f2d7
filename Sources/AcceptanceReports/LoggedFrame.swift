// LoggedFrame: a frame of a link, with its time and its direction, as text.

import BridgeLink

/// A frame in a report. The text of a frame consists of the time since the start of the step in
/// microseconds, ">" for a frame to the board or "<" for a frame from the board, and the type, the
/// sequence byte and the payload in hexadecimal: "1520 > 2001".
public struct LoggedFrame: Equatable, Sendable {
    package var time: Microseconds
    package var direction: FrameDirection
    package var frame: Frame

    package var text: String {
        let bytes = [frame.type.rawValue, frame.sequence] + frame.payload
        return "\(time) \(direction == .sent ? ">" : "<") \(bytes.hexadecimal)"
    }

    package init(time: Microseconds, _ direction: FrameDirection, _ frame: Frame) {
        (self.time, self.direction, self.frame) = (time, direction, frame)
    }

    /// Creates a frame from its text; nil if the text is invalid.
    package init?(_ text: String) {
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

    /// The maximum time of a frame: one hour.
    private static let timeMax: Microseconds = 3_600_000_000

    /// True if an acceptance test may send the frame, or if a board has sent the frame. The
    /// excluded commands could damage a board or its actuators.
    var isHarmless: Bool {
        direction == .received
            || ![.configure, .lock, .enterBootloader].contains(frame.type)
    }

    /// True if the frame is a command that begins a calibration or a diagnosis.
    var isMeasurement: Bool { [.calibrate, .diagnose].contains(frame.type) }

    /// The message in the frame; nil if its payload is too short.
    package var message: Message? { try? Message(type: frame.type, payload: frame.payload) }
}
