// FrameRecording: the frames of a step, for sending them to another board.

import BridgeLink

/// The recorded frames of a step.
public struct FrameRecording: Sendable {
    package let step: AcceptanceStep
    package let frames: [LoggedFrame]
    /// The session of the step (SPEC 3).
    package let session: UInt32

    /// Creates a recording from the frames of a step. Throws an error for a step that cannot be
    /// replayed.
    public init(_ step: AcceptanceReport.Step) throws(AcceptanceReportError) {
        let advice = "carry out the step again: bridge accept REPORT --only \(step.step)"
        guard !step.frames.isEmpty else {
            throw AcceptanceReportError(
                message: "the step \(step.step) has no frames", advice: advice)
        }
        let hello = step.frames.lazy.filter { $0.direction == .sent }.compactMap(Self.session).first
        guard let hello, hello != 0 else {
            throw AcceptanceReportError(
                message: "the step \(step.step) does not begin with HELLO", advice: advice)
        }
        (self.step, frames, session) = (step.step, step.frames, hello)
    }

    private static func session(of frame: LoggedFrame) -> UInt32? {
        guard case .hello(let hello)? = frame.message else { return nil }
        return hello.session
    }

    /// The frames that the board sent.
    public var answers: [LoggedFrame] { frames.filter { $0.direction == .received } }

    /// Returns the first difference between the recorded answers and those from another board; nil
    /// if the answers are equal.
    public func difference(to replayed: [LoggedFrame]) -> AnswerDifference? {
        AnswerDifference.first(
            recorded: answers, replayed: replayed, measures: frames.contains(where: \.isMeasurement)
        )
    }
}
