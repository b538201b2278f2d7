// Tests of the warning that `bridge play` prints for a pattern that cannot be rendered as designed.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct PlayWarningTests {
    let folder = Folder()

    /// Writes a file with a continuous level and with taps of half intensity at the given times, in
    /// seconds.
    private func file(taps: [Double], over level: Double) throws -> String {
        func event(_ type: String, _ rest: String, _ intensity: Double) -> String {
            """
            {"Event": {"EventType": "\(type)", \(rest), "EventParameters": [
                {"ParameterID": "HapticIntensity", "ParameterValue": \(intensity)}]}}
            """
        }
        let events =
            (level > 0
                ? [event("HapticContinuous", "\"Time\": 0, \"EventDuration\": 0.4", level)] : [])
            + taps.map { event("HapticTransient", "\"Time\": \($0)", 0.5) }
        return try folder.write(
            "pattern.ahap",
            #"{"Version": 1.0, "Pattern": [\#(events.joined(separator: ",\n"))]}"#)
    }

    private func warnings(_ arguments: String...) throws -> [Substring] {
        let outcome = try RunningTool(
            Tool.executable("bridge"), ["play", "--virtual"] + arguments
        ).outcome()
        #expect(outcome.status == 0)
        return outcome.errors.split(separator: "\n").filter { $0.contains("will not be felt") }
    }

    @Test func nothingIsSaidOfAPatternThatIsFeltAsDesigned() throws {
        #expect(try warnings(file(taps: [0, 0.2], over: 0)).isEmpty)
    }

    @Test func theAdviceFitsTheReason() throws {
        let hidden = try file(taps: [0.2, 0.23], over: 0.6)
        let line = try #require(try warnings(hidden).first)
        #expect(
            line.contains("make a tap at least 27 % stronger than the level over which it plays"))
        #expect(line.hasSuffix("`bridge explain --virtual \(hidden)` shows each event"))
    }

    @Test func whatAnotherProfileCausesIsSaidOfIt() throws {
        let path = try file(taps: [0, 0.2], over: 0)
        let line = try #require(try warnings("--profile", "erm", path).first)
        #expect(line.hasSuffix("; without --profile, the pattern is rendered for the LRA"))
    }

    @Test func aMotorIsNotFeltAsDesignedAtALowGain() throws {
        let path = try file(taps: [0.6], over: 0.3)
        let board = try LiveBoard()
        let port = board.port
        let part = "B1034.FL45-00-015"
        #expect(try Tool.bridge("actuator", "set", "--port", port, part).status == 0)
        let full = try Tool.bridge("play", "--port", port, path)
        #expect(!full.errors.contains("will not be felt"))
        let weak = try Tool.bridge("play", "--port", port, "--gain", "0.3", path)
        #expect(weak.errors.contains("2 of 2 events will not be felt as designed on the ERM at a"))
        #expect(weak.errors.hasSuffix("; an ERM renders the design only at a gain of 1\n"))
    }

    @Test func anLRAIsFeltAsDesignedAtALowGain() throws {
        #expect(try warnings("--gain", "0.3", file(taps: [0, 0.2], over: 0)).isEmpty)
    }

    @Test func nothingIsPromisedOfACompiledFile() throws {
        let compiled = folder.path("pattern.hbes")
        let path = try file(taps: [0], over: 0)
        #expect(try Tool.bridge("compile", path, "-o", compiled).status == 0)
        let outcome = try Tool.bridge("play", "--virtual", compiled)
        #expect(outcome.output.contains("the fidelity of a compiled file is not predicted"))
    }

    @Test func tapsThatAMotorJoinsAreNotFeltAsDesigned() throws {
        let path = try file(taps: [0, 0.035], over: 0)
        let board = try LiveBoard()
        let port = board.port
        let part = "B1034.FL45-00-015"
        #expect(try Tool.bridge("actuator", "set", "--port", port, part).status == 0)
        let outcome = try Tool.bridge("play", "--port", port, path)
        #expect(outcome.errors.contains("2 of 2 events will not be felt as designed on the ERM"))
        #expect(outcome.errors.contains("; place taps at least 90 ms apart for the ERM; "))
        let explained = try Tool.bridge("explain", "--port", port, "--profile", "lra", path)
        #expect(explained.output.contains("on the ERM, predicted"))
    }
}
