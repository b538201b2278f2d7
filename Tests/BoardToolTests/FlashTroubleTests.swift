// bridge flash on old Nanos, when it is ended, and when another program wants the port. These tests
// are apart from FlashTests because suites run side by side, and flashing takes 12 s.

import Foundation
import TestSupport
import Testing

@Suite(
    .enabled(if: SimulatedUno.isExpected, "the simulated port is not built"), .serialized,
    .againIfTheComputerIsBusy)
struct FlashTroubleTests {
    let folder = Folder()

    @Test func aNanoWithTheOldBootLoaderGetsFirmwareThatPlays() throws {
        let nano = try SimulatedUno(
            image: nil, bootLoader: SimulatedUno.atmegaBoot, usb: .nano, port: "ttyUSB0")
        let flash = try nano.bridge("flash", "--board", "nano-old", "--port", nano.port)
        #expect(flash.status == 0 && flash.output.contains("firmware    1.0"), "\(flash)")
        #expect(try nano.bridge("actuator", "set", "VG1040003D").status == 0)
        #expect(nano.drives.isEmpty)
        let play = try nano.bridge("play", folder.write("tap.ahap", BoardSamples.tap))
        #expect(play.status == 0 && nano.drives.contains { $0 > 0 }, "\(play)")
        #expect(nano.drives.last == 0)
    }

    @Test func anOldNanoThatIsTakenForANewOneSaysWhatItMayBe() throws {
        let nano = try SimulatedUno(
            bootLoader: SimulatedUno.atmegaBoot, usb: .nano, port: "ttyUSB0")
        let outcome = try nano.bridge("flash", "--board", "nano", "--port", nano.port)
        #expect(outcome.status == 80 && outcome.errors.contains("--board nano-old"), "\(outcome)")
        let info = try nano.bridge("info", "--port", nano.port)
        #expect(info.status == 0, "the old firmware is whole")
    }

    @Test func aSignalEndsAvrdudeTooAndTheBoardCanBeFlashedAgain() throws {
        let uno = try SimulatedUno()
        let tool = try uno.run(Tool.executable("bridge"), ["flash", "--board", "uno"])
        #expect(uno.waitUntilFlashing())
        tool.signal(SIGTERM)
        let outcome = tool.outcome()
        #expect(outcome.wasEnded(by: SIGTERM), "\(outcome)")
        #expect(outcome.errors.contains("flash it again"), "\(outcome)")
        let again = try uno.bridge("flash", "--board", "uno")
        #expect(again.status == 0, "\(again)")
    }

    @Test func anotherProgramIsKeptFromThePortMeanwhile() throws {
        let uno = try SimulatedUno()
        let tool = try uno.run(Tool.executable("bridge"), ["flash", "--board", "uno"])
        #expect(uno.waitUntilFlashing())
        let second = try uno.bridge("info", "--port", uno.port)
        #expect(second.status == 75 && second.errors.contains("in use by bridge"), "\(second)")
        #expect(tool.outcome().status == 0)
    }
}
