// Tests of a new user's steps from unpacked parts to a playing pattern, in order, on the simulated
// board with the real avrdude and a real boot loader.

import Foundation
import TestSupport
import Testing

@Suite(
    .enabled(if: SimulatedUno.isExpected, "the simulated port is not built"), .serialized,
    .witnessed(tolerance: .milliseconds(80)))
struct JourneyTests {
    let folder = Folder()

    @Test func fromABlankChipToAFeltPattern() throws {
        let uno = try SimulatedUno(image: nil)
        let tap = try folder.write("tap.ahap", BoardSamples.tap)
        #expect(try uno.bridge("list").output.contains("Arduino Uno"))
        let blank = try uno.bridge("info", "--port", uno.port)
        #expect(blank.status == 69 && blank.errors.contains("flash the firmware"), "\(blank)")

        try flash(uno)
        let refused = try uno.bridge("play", tap)
        #expect(refused.status == 78 && refused.errors.contains("bridge actuator set --port"))
        #expect(uno.drives.isEmpty, "an unconfigured actuator is not driven")
        #expect(try uno.bridge("doctor").status == 78)

        #expect(try uno.bridge("actuator", "set", "VG1040003D").status == 0)
        let calibrate = try uno.bridge("calibrate")
        #expect(calibrate.status == 0, "\(calibrate)")
        #expect(try uno.bridge("doctor").status == 0)
        try play(tap, on: uno)
        try inspect(uno)
        try reset(uno)
        #expect(try uno.bridge("play", tap).status == 0)
    }

    /// Flashes a blank chip while another program tries to use the port. The tool assigns an id to
    /// the board.
    private func flash(_ uno: SimulatedUno) throws {
        let tool = try uno.run(Tool.executable("bridge"), ["flash", "--board", "uno", "--json"])
        #expect(uno.waitUntilFlashing())
        let other = try uno.bridge("info", "--port", uno.port)
        #expect(other.status == 75 && other.errors.contains("in use by bridge"), "\(other)")

        let flash = tool.outcome(within: 240)
        try #require(flash.status == 0, "\(flash)")
        let result = try #require(flash.objects.first)
        #expect(result["schema"] as? String == "bridge.flash/1")
        #expect(result["port"] as? String == uno.port && result["bytes"] as! Int > 10_000)
        let board = try #require(result["board"] as? [String: Any])
        let id = try #require(board["id"] as? String)
        #expect(id.count == 16 && id != "no id" && board["firmware"] as? String == "1.0")
        #expect(flash.errors.contains("bridge actuator set --port \(uno.port)"))
        #expect(uno.drives.isEmpty)
    }

    private func play(_ tap: String, on uno: SimulatedUno) throws {
        let before = uno.drives.count
        let play = try uno.bridge("play", "--json", tap)
        #expect(play.status == 0 && play.objects.first?["ending"] as? String == "played")
        #expect(uno.drives.dropFirst(before).contains { $0 > 0 } && uno.drives.last == 0)
    }

    private func inspect(_ uno: SimulatedUno) throws {
        let monitor = try uno.bridge("monitor", "--json", "--count", "2", "--interval", "0.2")
        #expect(monitor.status == 0 && monitor.objects.count == 2, "\(monitor)")
    }

    /// Resets a board that has stored its configuration.
    private func reset(_ uno: SimulatedUno) throws {
        let reset = try uno.bridge("reset")
        #expect(reset.status == 0, "\(reset)")
        let info = try uno.bridge("info", "--json")
        let actuators = info.objects.first?["actuators"] as? [[String: Any]]
        #expect(actuators?.first?["calibration"] as? String == "passed", "\(info)")
    }
}
