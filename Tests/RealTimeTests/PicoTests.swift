// Tests of `bridge flash` for boards with an RP2040, on the simulated chip: the start of the boot
// loader, the copy to the boot loader's drive, and the answer from the new firmware.

import Foundation
import TestSupport
import Testing

@Suite(
    .enabled(if: SimulatedPico.isExpected, "the simulated Pico is not built"), .serialized,
    .witnessed(tolerance: .milliseconds(80)))
struct PicoTests {
    let folder = Folder()

    private func tap() throws -> String { try folder.write("tap.ahap", BoardSamples.tap) }

    /// Opens the port of a running board at 1,200 baud, so that the board enters its boot loader.
    private func enterBootLoader(_ pico: SimulatedPico) throws {
        try pico.happen("baud 1200")
        try #require(wait { pico.isInBootLoader })
    }

    // MARK: Into the boot loader

    @Test func firmwareThatAnswersIsReportedAndTheNewOnePlays() throws {
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
        #expect(play.status == 0 && pico.hasDriven, "\(play)")
        #expect(pico.drives.last == 0)
        let reset = try pico.bridge("reset")
        #expect(reset.status == 74 && reset.errors.contains("does not reset by DTR"), "\(reset)")
    }

    @Test func anActuatorThatMovesIsBroughtToRestFirst() throws {
        let pico = try SimulatedPico()
        #expect(try pico.bridge("actuator", "set", "VG1040003D").status == 0)
        let buzz = try folder.write("buzz.ahap", BoardSamples.buzz)
        let player = try pico.run(Tool.executable("bridge"), ["play", "--port", pico.port, buzz])
        #expect(wait { pico.hasDriven })
        player.signal(SIGKILL)
        _ = player.outcome()
        let flash = try pico.bridge("flash", "--board", "pico")
        #expect(flash.status == 0, "\(flash)")
        #expect(pico.drives.last == 0 && pico.bootLoaderEntries == 1)
        let configured = try pico.bridge("play", tap())
        #expect(configured.status == 0, "the stored configuration is kept: \(configured)")
    }

    @Test func firmwareThatSpeaksAnotherProtocolIsTouched() throws {
        let pico = try SimulatedPico(image: SimulatedPico.oldImage)
        let dry = try pico.bridge("flash", "--board", "pico", "--dry-run")
        #expect(dry.status == 0 && dry.output.contains(pico.port), "\(dry)")
        #expect(pico.bootLoaderEntries == 0, "a dry run does not restart the board")
        let flash = try pico.bridge("flash", "--board", "pico")
        #expect(flash.status == 0 && flash.output.contains("firmware    1.0"), "\(flash)")
        #expect(pico.bootLoaderEntries == 1)
    }

    @Test func aPortOfAnotherDeviceIsNotTouched() throws {
        let stranger = try SimulatedPico(image: SimulatedPico.oldImage, usb: .stranger)
        let named = try stranger.bridge("flash", "--board", "pico", "--port", stranger.port)
        #expect(named.status == 80 && named.errors.contains("hold the BOOTSEL button"), "\(named)")
        let dry = try stranger.bridge(
            "flash", "--board", "pico", "--port", stranger.port, "--dry-run")
        #expect(dry.status == 80 && dry.errors == named.errors, "\(dry)")
        #expect(stranger.bootLoaderEntries == 0)
    }

    /// Checks that the tool uses the specified drive, the only drive, or the last port of the
    /// board, as after an interrupted copy.
    @Test func aBoardThatIsInItsBootLoaderNeedsNoPort() throws {
        let pico = try SimulatedPico()
        try #require(try pico.bridge("info").status == 0, "it has started")
        try enterBootLoader(pico)
        let list = try pico.bridge("list")
        #expect(list.errors.contains("a board is in its boot loader: bridge flash"), "\(list)")
        for arguments in [["--drive", pico.drive], [], ["--port", pico.port]] {
            if !pico.isInBootLoader { try enterBootLoader(pico) }
            let tool = try pico.run(
                Tool.executable("bridge"), ["flash", "--board", "pico"] + arguments)
            let flash = tool.outcome()
            #expect(flash.status == 0, "\(arguments): \(flash)")
            guard arguments.first == "--port" else { continue }
            #expect(flash.output.hasPrefix("\(pico.port): "), "\(flash)")
        }
        let away = try pico.bridge("flash", "--board", "pico", "--port", "/dev/ttyACM77")
        #expect(away.status == 69 && away.errors.contains("no such port"), "\(away)")
        #expect(pico.bootLoaderEntries == 3)
    }

    @Test func theOtherBoardsGetTheirPinsAndSeveralActuatorsTheirNumber() throws {
        let pico = try SimulatedPico()
        let flash = try pico.bridge("flash", "--board", "xiao-rp2040", "--actuators", "2", "--json")
        #expect(flash.status == 0, "\(flash)")
        let board = try #require(flash.objects.first?["board"] as? [String: Any])
        #expect(board["kind"] as? String == "seeed-studio-xiao-rp2040")
        #expect(board["actuators"] as? Int == 2)
        // The simulated board is wired as a Pico, so the driver chip is not at the expected pins.
        let doctor = try pico.bridge("doctor")
        #expect(doctor.output.contains("SDA to D4, SCL to D5, EN to D0"), "\(doctor)")
        let back = try pico.bridge("flash", "--board", "pico", "--json")
        #expect(back.status == 0, "\(back)")
    }

    // MARK: Failures

    /// Starts to flash onto a slow drive. Returns when the copy has begun.
    private func flashing(_ pico: SimulatedPico) throws -> RunningTool {
        let tool = try pico.run(
            Tool.executable("bridge"), ["flash", "--board", "pico", "--port", pico.port],
            environment: ["PORT_SHIM_SYNC_MS": "300"])
        try #require(wait { self.copied(pico) > 4_000 })
        return tool
    }

    private func copied(_ pico: SimulatedPico) -> Int {
        let path = "\(pico.drive)/firmware.uf2"
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return (size ?? nil) ?? 0
    }

    @Test func aCopyThatASignalOrAPulledCableEndsIsReportedAndTheBoardCanBeFlashedAgain() throws {
        let pico = try SimulatedPico()
        let signalled = try flashing(pico)
        signalled.signal(SIGINT)
        let interrupted = signalled.outcome()
        #expect(interrupted.wasEnded(by: SIGINT), "\(interrupted)")
        #expect(interrupted.errors.contains("flash the board again"), "\(interrupted)")
        #expect(pico.isInBootLoader)
        let again = try pico.bridge("flash", "--board", "pico")
        #expect(again.status == 0, "\(again)")

        let pulled = try flashing(pico)
        try FileManager.default.removeItem(atPath: pico.drive)
        let outcome = pulled.outcome()
        #expect(outcome.status == 74, "\(outcome)")
        #expect(outcome.errors.contains("unplugged while it was being written"))
        #expect(outcome.errors.contains("flash it again"))
    }

    @Test(.enabled(if: Proof.isComplete, "only in the complete proof: it waits for 10 s"))
    func aDriveThatIsNotMountedIsAnError() throws {
        let pico = try SimulatedPico()
        try pico.mount([])
        let outcome = try pico.bridge("flash", "--board", "pico")
        #expect(outcome.status == 80, "\(outcome)")
        #expect(outcome.errors.contains("no drive of a boot loader has appeared within 10.00 s"))
        #expect(outcome.errors.contains("hold the BOOTSEL button"))
        // The board waits in its boot loader, and the tool flashes it once the drive is mounted.
        try pico.mount([pico.drive])
        #expect(try pico.bridge("flash", "--board", "pico").status == 0)
    }

    @Test func valuesThatAWornMemoryDoesNotTakeAreAnError() throws {
        let pico = try SimulatedPico()
        try #require(try pico.bridge("actuator", "set", "VG1040003D").status == 0)
        for sector in [2_088_960, 2_093_056] { try pico.happen("flash worn \(sector)") }
        let set = try pico.bridge("actuator", "set", "C10-100", "--json")
        #expect(set.status == 74 && set.errors.contains("they are not stored"), "\(set)")
        #expect(set.errors.contains("worn out"))
        #expect(set.objects.first?["saved"] as? Bool == false)
        let info = try pico.bridge("info")
        #expect(
            info.output.contains("175.0 Hz"), "the settings are valid until the next start: \(info)"
        )
        #expect(info.output.contains("storage failed"))
    }

    /// Offsets in an image's pin block, each with an invalid byte: one of the pins, the number of
    /// pins, and further bytes in the complete proof.
    private static let impossible: [(Int, UInt8)] =
        [(5, 9), (17, 200)]
        + (Proof.isComplete ? [(6, 200), (7, 4), (8, 77), (8, 5), (16, 99), (17, 0)] : [])

    /// Checks that the board does not drive an actuator and waits in its boot loader for another
    /// image.
    @Test(arguments: impossible)
    func aBoardWithImpossiblePinsWaitsForAnotherImage(offset: Int, value: UInt8) throws {
        let pico = try SimulatedPico()
        try #require(try pico.bridge("actuator", "set", "C10-100").status == 0)
        try enterBootLoader(pico)
        var bytes = try Data(contentsOf: BoardSimulator.pico.image)
        bytes[2 * 512 + 32 + offset] = value
        try bytes.write(to: URL(fileURLWithPath: "\(pico.drive)/wrong.uf2"))
        try #require(wait { pico.bootLoaderEntries == 2 })
        try #require(wait { pico.isInBootLoader })
        let flash = try pico.bridge("flash", "--board", "pico", "--drive", pico.drive)
        #expect(flash.status == 0, "\(flash)")
    }
}
