// Tests of a board with the Arduino library: the tool's messages for the board kind in WELCOME.

import BridgeLink
import Foundation
import HapticBridge
import TestSupport
import Testing

@testable import bridge

@Suite(
    .enabled(
        if: BoardSimulator.sketch.absence == nil,
        "the sketches are not built: run make arduino-boards"))
struct SketchTests {
    private let folder = Folder()

    /// Starts the sketch with the given name, and configures the actuator of its board.
    private func board(_ sketch: String) throws -> BoardProgram {
        var simulator = BoardSimulator.sketch
        simulator.image = PackageFolder.url.appending(path: ".build/arduino/\(sketch)-esp32.so")
        let board = try BoardProgram(simulator)
        let set = try Tool.bridge("actuator", "set", "VG1040003D", "--port", board.port)
        #expect(set.status == 0, "\(set)")
        return board
    }

    @Test func infoShowsItsMaximumLateness() throws {
        let board = try board("Bridge")
        let outcome = try Tool.bridge("info", "--port", board.port, "--json")
        let facts = try #require(outcome.objects.first?["board"] as? [String: Any])
        #expect(facts["kind"] as? String == "board-with-the-arduino-library")
        #expect(facts["write_lateness_us"] as? Int == 1_000)
        #expect(facts["reset_cause"] as? String == "unknown")
        let text = try Tool.bridge("info", "--port", board.port).output
        #expect(
            text.contains("writes up to 1 ms late, or later if loop() takes longer; no watchdog"))
        #expect(text.contains("after a reset whose cause a sketch cannot determine"))
        let virtual = try Tool.bridge("info", "--virtual")
        #expect(!virtual.output.contains("loop()"))
    }

    @Test func theDoctorReportsTheMaximumLatenessOfItsSketch() throws {
        let pattern = try folder.write(
            "taps.ahap",
            #"{"Pattern": ["#
                + (0..<20).map {
                    #"{"Event": {"Time": \#(Double($0) * 0.0437), "EventType": "HapticTransient"}}"#
                }.joined(separator: ",") + "]}")
        for (sketch, words) in [("Bridge", "its sketch wrote at most"), ("SlowLoop", " µs late: ")]
        {
            let board = try board(sketch)
            _ = try Tool.bridge("play", pattern, "--port", board.port)
            let doctor = try Tool.bridge("doctor", "--port", board.port)
            #expect(doctor.output.contains(words), "\(doctor)")
            #expect(doctor.output.contains("bridge.update()") == (sketch == "SlowLoop"))
        }
    }

    @Test func adviceIsThatOfASketch() {
        let kind = BoardKind.arduino
        #expect(kind.isPolled && !kind.hasOwnUSB)
        #expect(kind.wiringAdvice.contains("sketch names"))
        #expect(kind.flashCommand(port: "/dev/ttyACM0").contains("make arduino-library"))
        #expect(kind.jumperAdvice.contains("bridge.begin(true)"))
        #expect(KnownBoard.of(kind).isEmpty, "no image exists for this kind")
    }
}
