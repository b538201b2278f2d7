// FrameReplay: sends the recorded frames of a step to a board.

import BridgeLink
import SerialPorts
import ToolSupport

/// The recorded frames of a step.
struct FrameRecording {
    let step: AcceptanceStep
    let frames: [LoggedFrame]
    /// The session of the step (SPEC 3).
    let session: UInt32

    /// Reads the frames of a step. Throws `ToolError`, which names the frame that is invalid.
    init(_ step: AcceptanceReport.Step, in file: String) throws(ToolError) {
        var frames: [LoggedFrame] = []
        for (index, text) in step.frames.enumerated() {
            guard let frame = LoggedFrame(text), frame.time >= frames.last?.time ?? 0 else {
                throw ToolError(
                    .badData, "\(file): frame \(index) of the step \(step.step) is invalid",
                    advice: "expected its time in µs, > or <, and its bytes: 1520 > 2001")
            }
            if frame.direction == .sent, !Self.isHarmless(frame) {
                throw ToolError(
                    .badData,
                    "\(file): frame \(index) of the step \(step.step) configures, locks or restarts "
                        + "a board, which no acceptance test does",
                    advice: "do not use this report")
            }
            frames.append(frame)
        }
        guard !frames.isEmpty else {
            throw ToolError(
                .badData, "\(file): the step \(step.step) has no frames",
                advice: "carry out the step again: bridge accept \(file) --only \(step.step)")
        }
        let hello = frames.lazy.filter { $0.direction == .sent }.compactMap(Self.session).first
        guard let hello, hello != 0 else {
            throw ToolError(
                .badData, "\(file): the step \(step.step) does not begin with HELLO",
                advice: "carry out the step again: bridge accept \(file) --only \(step.step)")
        }
        (self.step, self.frames, session) = (step.step, frames, hello)
    }

    /// Returns false for a command that an acceptance test never sends and that could damage a board
    /// or its actuators.
    private static func isHarmless(_ frame: LoggedFrame) -> Bool {
        ![.configure, .lock, .enterBootloader].contains(frame.frame.type)
    }

    private static func session(of frame: LoggedFrame) -> UInt32? {
        guard case .hello(let hello)? = frame.message else { return nil }
        return hello.session
    }

    /// The frames from the board.
    var answers: [LoggedFrame] { frames.filter { $0.direction == .received } }
}

extension LoggedFrame {
    /// True for a command that begins a calibration or a diagnosis.
    var isMeasurement: Bool { [.calibrate, .diagnose].contains(frame.type) }

    /// The message of the frame; nil if its payload is too short.
    var message: Message? { try? Message(type: frame.type, payload: frame.payload) }
}

/// Sends recorded frames to a board at their recorded times.
struct FrameReplay {
    private let transport: any Transport
    /// The maximum delay of a frame, in microseconds. After a greater delay, the answers prove
    /// nothing, because the dead-man of the board may have tripped.
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
                    "the frames of the step \(recording.step) come faster than a line transfers them",
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
