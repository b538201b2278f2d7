// FrameReplay: sends the recorded frames of a step to a board.

import AcceptanceReports
import BridgeLink
import SerialPorts
import ToolSupport

/// Sends recorded frames to a board at their recorded times.
struct FrameReplay {
    private let transport: any Transport
    /// The maximum delay of a frame, in microseconds. After a greater delay, the answers are
    /// meaningless, because the dead-man of the board may have tripped.
    private var delay: Microseconds = 0
    /// The number of faults that the board last reported.
    private var faultTotal: UInt8 = 0
    private var unwritten: [UInt8] = []
    private var answers: [LoggedFrame] = []

    /// The time for which answers are awaited after the last recorded frame.
    private static let ending: Microseconds = .milliseconds(200)
    private static let slice: Microseconds = .milliseconds(5)
    /// The maximum delay that a replay tolerates.
    private static let delayMax: Microseconds = .milliseconds(100)
    /// The maximum number of bytes that wait for the line. A test keeps within the link window.
    private static let backlogMax = 1 << 16

    init(_ transport: any Transport) { self.transport = transport }

    /// Sends the frames of a recording, and returns the answers. Ctrl-C ends the replay. Throws
    /// `ToolError` if the frames cannot be sent at their times.
    mutating func replay(_ recording: FrameRecording) throws -> [LoggedFrame] {
        let encoder = FrameEncoder(session: recording.session)
        var decoder = FrameDecoder(session: recording.session)
        let begun = Link.now()
        for frame in recording.frames where frame.direction == .sent {
            try receive(until: begun + frame.time, begun, &decoder)
            guard !Interruption.isRequested else { return answers }
            delay = max(delay, Link.now() - begun - frame.time)
            unwritten += encoder.encode(adapted(frame.frame))
            guard unwritten.count <= Self.backlogMax else {
                throw ToolError(
                    .badData,
                    "the frames of the step \(recording.step) are too frequent for the line",
                    advice: "do not use this report")
            }
        }
        let end = recording.frames.last.map { $0.time } ?? 0
        try receive(until: begun + end + Self.ending, begun, &decoder)
        guard delay <= Self.delayMax, unwritten.isEmpty else {
            throw ToolError(
                .busy,
                "a frame of the step \(recording.step) was sent \(delay / 1_000) ms too late",
                advice: "end other programs, and replay the report again")
        }
        return answers
    }

    /// Receives frames until a host time, and meanwhile writes the remaining bytes.
    private mutating func receive(
        until deadline: HostTime, _ begun: HostTime, _ decoder: inout FrameDecoder
    ) throws {
        repeat {
            if !unwritten.isEmpty { unwritten.removeFirst(try transport.write(unwritten)) }
            let wait = max(0, min(Self.slice, deadline - Link.now()))
            for frame in decoder.receive(try transport.read(upTo: 4_096, timeout: wait)) {
                let answer = LoggedFrame(time: Link.now() - begun, .received, frame)
                if case .status(let status)? = answer.message { faultTotal = status.faultTotal }
                answers.append(answer)
            }
        } while Link.now() < deadline && !Interruption.isRequested
    }

    /// Returns a frame for this board. CLEAR_FAULTS repeats the number of faults that the board has
    /// reported. SAVE becomes a command without an effect, so that nothing is stored.
    private func adapted(_ frame: Frame) -> Frame {
        if frame.type == .save {
            let nothing = ClearFaults(faults: [], faultTotal: faultTotal)
            return Frame(.command(.clearFaults(nothing)), sequence: frame.sequence)
        }
        guard
            case .command(.clearFaults(var old))? = try? Message(
                type: frame.type, payload: frame.payload)
        else { return frame }
        old.faultTotal = faultTotal
        return Frame(.command(.clearFaults(old)), sequence: frame.sequence)
    }
}
