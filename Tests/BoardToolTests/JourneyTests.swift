// From a box of parts to a pattern that is felt: the steps of a new user, in order, on the
// simulated board.

import Foundation
import TestSupport
import Testing

@Suite(
    .enabled(if: SimulatedUno.isExpected, "the simulated port is not built"), .serialized,
    .againIfTheComputerIsBusy)
struct JourneyTests {
    let folder = Folder()

    @Test func fromABlankChipToAFeltPattern() throws {
        let uno = try SimulatedUno(image: nil)
        let tap = try folder.write("tap.ahap", BoardSamples.tap)

        let list = try uno.bridge("list")
        #expect(list.output.contains("Arduino Uno"))
        let blank = try uno.bridge("info", "--port", uno.port)
        #expect(blank.status == 69 && blank.errors.contains("flash the firmware"), "\(blank)")

        let flash = try uno.bridge("flash", "--board", "uno")
        #expect(flash.status == 0 && flash.output.contains("firmware    1.0"), "\(flash)")

        let refused = try uno.bridge("play", tap)
        #expect(refused.status == 78 && refused.errors.contains("bridge actuator set --port"))
        #expect(uno.drives.isEmpty, "an actuator that is not known is not driven")
        #expect(try uno.bridge("doctor").status == 78)

        #expect(try uno.bridge("actuator", "set", "VG1040003D").status == 0)
        let calibrate = try uno.bridge("calibrate")
        #expect(calibrate.status == 0, "\(calibrate)")
        #expect(try uno.bridge("doctor").status == 0)

        let before = uno.drives.count
        let play = try uno.bridge("play", "--json", tap)
        #expect(play.status == 0 && play.objects.first?["ending"] as? String == "played")
        #expect(uno.drives.dropFirst(before).contains { $0 > 0 } && uno.drives.last == 0)

        let monitor = try uno.bridge("monitor", "--json", "--count", "2", "--interval", "0.2")
        #expect(monitor.status == 0 && monitor.objects.count == 2, "\(monitor)")
        let watched = try uno.bridge("play", "--monitor", "--json", "success")
        let look = try #require(watched.objects.first)
        #expect(look["schema"] as? String == "bridge.monitor/1", "\(watched)")
        #expect(look["queue_bytes"] is Int && look["level"] is Int && watched.status == 0)

        // The board remembers all of this after a reset.
        let reset = try uno.bridge("reset")
        #expect(reset.status == 0, "\(reset)")
        let info = try uno.bridge("info", "--json")
        let actuators = info.objects.first?["actuators"] as? [[String: Any]]
        #expect(actuators?.first?["calibration"] as? String == "passed", "\(info)")
        #expect(try uno.bridge("play", tap).status == 0)
    }
}
