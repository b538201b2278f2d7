// bridge flash for boards with an RP2040: into the boot loader, onto its drive, and the answer of the
// new firmware, on the simulated chip.

import Foundation
import TestSupport
import Testing

@Suite(
    .enabled(if: SimulatedPico.isExpected, "the simulated Pico is not built"), .serialized,
    .againIfTheComputerIsBusy)
struct PicoFlashTests {
    let folder = Folder()

    private func tap() throws -> String { try folder.write("tap.ahap", BoardSamples.tap) }

    // MARK: Into the boot loader

    @Test func firmwareThatAnswersIsToldAndTheNewOnePlays() throws {
        let pico = try SimulatedPico()
        let flash = try pico.bridge("flash", "--board", "pico", "--json")
        #expect(flash.status == 0, "\(flash)")
        let result = try #require(flash.objects.first)
        #expect(result["schema"] as? String == "bridge.flash/1")
        #expect(result["port"] as? String == pico.port && result["drive"] as? String == pico.drive)
        let board = try #require(result["board"] as? [String: Any])
        #expect(board["kind"] as? String == "raspberry-pi-pico")
        #expect(pico.bootLoaderEntries == 1 && !pico.isInBootLoader)
        #expect(flash.errors.contains("bridge actuator set --port \(pico.port)"))

        #expect(try pico.bridge("actuator", "set", "VG1040003D").status == 0)
        #expect(pico.drives.isEmpty)
        let play = try pico.bridge("play", tap())
        #expect(play.status == 0 && pico.drives.contains { $0 > 0 }, "\(play)")
        #expect(pico.drives.last == 0)
        let reset = try pico.bridge("reset")
        #expect(reset.status == 74 && reset.errors.contains("does not reset by DTR"), "\(reset)")
    }

    @Test func anActuatorThatMovesIsBroughtToRestFirst() throws {
        let pico = try SimulatedPico()
        #expect(try pico.bridge("actuator", "set", "VG1040003D").status == 0)
        let buzz = try folder.write("buzz.ahap", BoardSamples.buzz)
        let player = try pico.run(Tool.executable("bridge"), ["play", "--port", pico.port, buzz])
        #expect(wait { pico.drives.contains { $0 > 0 } })
        player.signal(SIGKILL)
        _ = player.outcome()
        let flash = try pico.bridge("flash", "--board", "pico")
        #expect(flash.status == 0, "\(flash)")
        #expect(pico.drives.last == 0 && pico.bootLoaderEntries == 1)
        let configured = try pico.bridge("play", tap())
        #expect(configured.status == 0, "what was stored is kept: \(configured)")
    }

    @Test func firmwareThatSpeaksAnotherProtocolIsTouched() throws {
        let pico = try SimulatedPico(image: SimulatedPico.oldImage)
        let dry = try pico.bridge("flash", "--board", "pico", "--dry-run")
        #expect(dry.status == 0 && dry.output.contains(pico.port), "\(dry)")
        #expect(pico.bootLoaderEntries == 0, "a dry run touches nothing")
        let flash = try pico.bridge("flash", "--board", "pico")
        #expect(flash.status == 0 && flash.output.contains("firmware    1.0"), "\(flash)")
        #expect(pico.bootLoaderEntries == 1)
    }

    @Test func aBoardThatIsInItsBootLoaderNeedsNoPort() throws {
        let pico = try SimulatedPico()
        try #require(try pico.bridge("info").status == 0, "it has started")
        try pico.happen("baud 1200")
        try #require(wait { pico.isInBootLoader })
        let list = try pico.bridge("list")
        #expect(list.errors.contains("a board waits in its boot loader: bridge flash"), "\(list)")
        let flash = try pico.bridge("flash", "--board", "pico", "--drive", pico.drive)
        #expect(flash.status == 0, "\(flash)")
        try pico.happen("baud 1200")
        try #require(wait { pico.isInBootLoader })
        let again = try pico.bridge("flash", "--board", "pico")
        #expect(again.status == 0, "the only one there is: \(again)")
    }

    /// Checks the same command again after a copy that was interrupted, and BRIDGE_PORT.
    @Test func aBoardThatHasLeftItsPortForItsBootLoaderIsFlashedThere() throws {
        let pico = try SimulatedPico()
        try #require(try pico.bridge("info").status == 0, "it has started")
        try pico.happen("baud 1200")
        try #require(wait { pico.isInBootLoader })
        let flash = try pico.bridge("flash", "--board", "pico", "--port", pico.port)
        #expect(flash.status == 0 && flash.output.hasPrefix("\(pico.port): "), "\(flash)")
        let away = try pico.bridge("flash", "--board", "pico", "--port", "/dev/ttyACM77")
        #expect(away.status == 69 && away.errors.contains("no such port"), "\(away)")
        #expect(pico.bootLoaderEntries == 1)
    }

    @Test func aPortOfAnotherDeviceIsNotTouched() throws {
        let pico = try SimulatedPico(image: SimulatedPico.oldImage, usb: .stranger)
        let search = try pico.bridge("flash", "--board", "pico")
        #expect(search.status == 69 && search.errors.contains("hold its BOOTSEL button"))
        let named = try pico.bridge("flash", "--board", "pico", "--port", pico.port)
        #expect(named.status == 80 && named.errors.contains("hold its BOOTSEL button"), "\(named)")
        #expect(pico.bootLoaderEntries == 0)
    }

    // MARK: Pins

    @Test func theOtherBoardsGetTheirPinsAndSeveralActuatorsTheirNumber() throws {
        let pico = try SimulatedPico()
        let flash = try pico.bridge("flash", "--board", "xiao-rp2040", "--actuators", "2", "--json")
        #expect(flash.status == 0, "\(flash)")
        let board = try #require(flash.objects.first?["board"] as? [String: Any])
        #expect(board["kind"] as? String == "seeed-studio-xiao-rp2040")
        #expect(board["actuators"] as? Int == 2)
        // The wires of the simulated board are a Pico's: the driver is not where it is looked for.
        let doctor = try pico.bridge("doctor")
        #expect(doctor.output.contains("SDA to D4, SCL to D5, EN to D0"), "\(doctor)")
        let back = try pico.bridge("flash", "--board", "pico", "--json")
        #expect(back.status == 0, "\(back)")
    }
}
