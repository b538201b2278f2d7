// Tests of the messages from ReaHaptic: the clip that is edited, and clips that wait for REAPER's
// playback position.

import ProgramProtocols
import Testing

@Suite struct ReaHapticTests {
    /// A clip without frequency points, with the trailing comma that ReaHaptic writes.
    private static let clip = """
        {
          "amplitude": [
            { "time": 0.000000, "amplitude": 1.000000 }
          ],
        }
        """

    private var score: OSCInterpreter

    init() throws {
        score = OSCInterpreter(rules: try OSCRule.read(OSCMap.reahaptic.file), localities: [])
    }

    private mutating func outcome(
        _ address: String, _ argument: OSCArgument, at time: Double
    ) -> OSCInterpreter.Outcome {
        score.outcome(of: OSCMessage(address, [argument]), at: time)
    }

    /// Reports the state of the transport.
    private mutating func send(_ state: String, at time: Double) -> OSCInterpreter.Outcome {
        outcome("/StartStop", .string(state), at: time)
    }

    private mutating func move(to position: Float, at time: Double) -> OSCInterpreter.Outcome {
        outcome("/CursorPos", .float(position), at: time)
    }

    /// Sends a clip before its start time.
    private mutating func send(
        _ clip: String = clip, for position: Double, at time: Double
    ) -> OSCInterpreter.Outcome {
        outcome("/HapticJson", .string("SendTime: \(position)\n" + clip), at: time)
    }

    private func played(_ clip: String = clip, in delay: Double) -> OSCInterpreter.Outcome {
        .effects([OSCEffect(.envelopes(clip, delay: delay))])
    }

    @Test(arguments: ["", "name: hit\n", "name: \n", "name: hit\nof the second verse\n"])
    mutating func theClipThatIsEditedIsPlayedAtOnce(heading: String) {
        let text = heading + Self.clip
        #expect(
            outcome("/InstantHapticJson", .string(text), at: 1) == played(in: 0))
    }

    @Test mutating func aClipIsPlayedWhenTheCursorWillHaveReachedIt() {
        #expect(send("started", at: 10) == .effects([]))
        #expect(move(to: 4, at: 10) == .effects([]))
        #expect(move(to: 4.25, at: 10.25) == .effects([]))
        // The cursor has advanced since the last report.
        #expect(send(for: 4.5, at: 10.375) == played(in: 0.125))
        #expect(send(for: 4.25, at: 10.75) == played(in: 0))
    }

    @Test mutating func aClipThatComesBeforeThePositionWaitsForIt() {
        #expect(send("started", at: 10) == .effects([]))
        #expect(send("{1}", for: 4, at: 10) == .effects([]))
        #expect(send("{2}", for: 4.25, at: 10) == .effects([]))
        #expect(move(to: 4, at: 10.125) == played("{2}", in: 0.25))
        #expect(move(to: 4.25, at: 10.375) == .effects([]))
    }

    @Test mutating func aClipThatIsFarAwayWaitsUntilItIsNear() {
        #expect(move(to: 0, at: 0) == .effects([]))
        #expect(send(for: 16, at: 0) == .effects([]))
        #expect(move(to: 4, at: 4) == .effects([]))
        #expect(move(to: 8, at: 8) == played(in: 8))
    }

    @Test(arguments: ["stopped", "moved"])
    mutating func aStopAndAJumpEndWhatPlaysAndForgetWhatWaits(state: String) {
        #expect(move(to: 4, at: 10) == .effects([]))
        #expect(send(for: 30, at: 10) == .effects([]))
        #expect(send(state, at: 11) == .effects([OSCEffect(.stop)]))
        #expect(move(to: 29, at: 12) == .effects([]))
        // The previously reported position is no longer valid.
        #expect(send(state, at: 13) == .effects([OSCEffect(.stop)]))
        #expect(send(for: 30, at: 13) == .effects([]))
    }

    @Test mutating func whatWasSentBeforeTheStartIsNotPlayed() {
        #expect(send(for: 4, at: 9) == .effects([]))
        #expect(send("started", at: 10) == .effects([]))
        #expect(move(to: 8, at: 10) == .effects([]))
    }

    @Test mutating func anEditedClipLeavesTheOneThatWaits() {
        #expect(send(for: 4, at: 9) == .effects([]))
        #expect(outcome("/InstantHapticJson", .string("{}"), at: 9) == played("{}", in: 0))
        #expect(move(to: 3.5, at: 10) == played(in: 0.5))
    }

    @Test(arguments: [
        "", "name: hit", "SendTime: 4", "SendTime: soon\n{}", "SendTime: inf\n{}", "SendTime: \n{}",
        "Time: 4\n{}", "\n{}",
    ])
    mutating func otherTextsAreUnsuitable(text: String) {
        #expect(outcome("/HapticJson", .string(text), at: 0) == .unsuitable)
    }

    @Test mutating func otherStatesOfTheTransportMeanNothing() {
        #expect(send("paused", at: 0) == .effects([]))
        #expect(outcome("/CursorPos", .string("4"), at: 0) == .unsuitable)
    }
}
