// FrameReplay: sends the recorded frames of a step to a board.

import AcceptanceReports
import BridgeLink
import SerialPorts
import ToolSupport

/// Sends recorded frames to a board at their recorded times.
struct FrameReplay {
    private let transport: any Transport
    /// The number of faults in the last STATUS of the board.
    private var faultTotal: UInt8 = 0
    private var unwritten: [UInt8] = []
    /// The answers from the board.
    private(set) var answers: [LoggedFrame] = []
    /// The greatest delay of a frame, in microseconds.
    private var delay: Microseconds = 0

    /// The duration of the wait for answers after the last recorded frame, in microseconds.
    private static let ending: Microseconds = .milliseconds(200)
    private static let slice: Microseconds = .milliseconds(5)
    /// The maximum delay of a frame, in microseconds. After a longer delay, the answers are
    /// meaningless, because the dead-man timer of the board may have expired.
    private static let delayMax: Microseconds = .milliseconds(100)
    /// The maximum delay of a frame at which a difference is attributed to the board, in
    /// microseconds. Some frames depend on a state that the board has reached only a few
    /// milliseconds earlier.
    private static let exactDelayMax: Microseconds = .milliseconds(5)
    /// The maximum number of bytes that wait to be written. A recorded test does not reach this
    /// number, because it stays within the link window.
    private static let backlogMax = 1 << 16

    init(_ transport: any Transport) { self.transport = transport }

    /// Sends the frames of a recording, and receives the answers. Ctrl-C ends the replay. Throws
    /// `ToolError` if the frames cannot be sent at their recorded times.
    mutating func replay(_ recording: FrameRecording) throws {
        let encoder = FrameEncoder(session: recording.session)
        var decoder = FrameDecoder(session: recording.session)
        let begun = Link.now()
        for frame in recording.frames where frame.direction == .sent {
            try receive(until: begun + frame.time, begun, &decoder)
            guard !Interruption.isRequested else { return }
            delay = max(delay, Link.now() - begun - frame.time)
            guard delay <= Self.delayMax else { throw Self.lateness(delay, recording) }
            unwritten += encoder.encode(adapted(frame.frame))
            guard unwritten.count <= Self.backlogMax else {
                throw ToolError(
                    .badData,
                    "the link cannot send the frames of the step \(recording.step) fast enough",
                    advice: "do not use this report")
            }
        }
        let end = recording.frames.last.map { $0.time } ?? 0
        try receive(until: begun + end + Self.ending, begun, &decoder)
        guard unwritten.isEmpty else { throw Self.lateness(Self.ending, recording) }
    }

    /// Returns the error that names the first difference between the recording and the answers; nil
    /// if there is none. If a frame was sent too late, the error names the delay instead.
    func difference(from recording: FrameRecording, in file: String) -> ToolError? {
        guard let difference = recording.difference(to: answers) else { return nil }
        guard delay <= Self.exactDelayMax else { return Self.lateness(delay, recording) }
        return ToolError(.badData, "\(file): \(recording.step), \(difference)")
    }

    private static func lateness(_ delay: Microseconds, _ recording: FrameRecording) -> ToolError {
        ToolError(
            .busy, "a frame of the step \(recording.step) was sent \(delay / 1_000) ms too late",
            advice: "end other programs, and replay the report again")
    }

    /// Receives frames and writes the remaining bytes until a host time.
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

    /// Returns a recorded frame, adapted to this board. CLEAR_FAULTS is sent with the number of
    /// faults that this board has reported. SAVE is replaced by a command that has no effect, so
    /// that the board stores nothing.
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
