// bridge flash for boards with an RP2040: wrong drives, drives that vanish, signals, and images that are
// not whole.

import Foundation
import TestSupport
import Testing

@Suite(
    .enabled(if: SimulatedPico.isExpected, "the simulated Pico is not built"), .serialized,
    .againIfTheComputerIsBusy)
struct PicoFlashTroubleTests {
    let folder = Folder()

    /// Starts to flash onto a drive that takes its time, and returns when the copy has begun.
    private func flashing(_ pico: SimulatedPico) throws -> RunningTool {
        let tool = try pico.run(
            Tool.executable("bridge"), ["flash", "--board", "pico", "--port", pico.port],
            environment: ["PORT_SHIM_SYNC_MS": "300"])
        try #require(wait(seconds: 20) { self.copied(pico) > 4_000 })
        return tool
    }

    private func copied(_ pico: SimulatedPico) -> Int {
        let path = "\(pico.drive)/firmware.uf2"
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return (size ?? nil) ?? 0
    }

    // MARK: Drives

    @Test func theDriveOfAnotherChipIsRefused() throws {
        let pico = try SimulatedPico()
        let other = try pico.addDrive("RP2350", boardID: "RP2350")
        let outcome = try pico.bridge("flash", "--board", "pico", "--drive", other)
        #expect(outcome.status == 79 && outcome.errors.contains("of an RP2350, not of an RPI-RP2"))
        #expect(outcome.errors.contains("nothing was written"))
        let files = try FileManager.default.contentsOfDirectory(atPath: other)
        #expect(files == ["INFO_UF2.TXT"])
    }

    @Test func aFolderThatIsNoDriveIsRefused() throws {
        let pico = try SimulatedPico()
        let outcome = try pico.bridge("flash", "--board", "pico", "--drive", folder.url.path)
        #expect(outcome.status == 69 && outcome.errors.contains("INFO_UF2.TXT is missing"))
        let missing = try pico.bridge("flash", "--board", "pico", "--drive", "/media/none")
        #expect(missing.status == 69 && missing.errors.contains("no such folder"))
        #expect(pico.bootLoaderEntries == 0)
    }

    @Test func severalDrivesAreAskedAbout() throws {
        let pico = try SimulatedPico()
        let drives = try ["RPI-RP2 1", "RPI-RP2 2"].map {
            try pico.addDrive($0, boardID: "RPI-RP2")
        }
        try pico.mount(drives.map { $0.replacing(" ", with: #"\040"#) })
        let outcome = try pico.bridge("flash", "--board", "pico")
        #expect(outcome.status == 69 && outcome.errors.contains("--drive FOLDER"), "\(outcome)")
        #expect(drives.allSatisfy { outcome.errors.contains($0) })
        #expect(pico.bootLoaderEntries == 0)
    }

    @Test func aDriveThatIsNotMountedIsAnError() throws {
        let pico = try SimulatedPico()
        try pico.mount([])
        let outcome = try pico.bridge("flash", "--board", "pico")
        #expect(outcome.status == 80, "\(outcome)")
        #expect(outcome.errors.contains("no drive of a boot loader has appeared within 10.00 s"))
        #expect(outcome.errors.contains("hold its BOOTSEL button"))
        // It waits in its boot loader; once its drive is mounted, it is flashed.
        try pico.mount([pico.drive])
        #expect(try pico.bridge("flash", "--board", "pico").status == 0)
    }

    @Test func aDriveThatVanishesHalfWayIsAnErrorAndTheBoardCanBeFlashedAgain() throws {
        let pico = try SimulatedPico()
        let tool = try flashing(pico)
        try FileManager.default.removeItem(atPath: pico.drive)
        let outcome = tool.outcome()
        #expect(outcome.status == 74, "\(outcome)")
        #expect(outcome.errors.contains("unplugged while it was being written"))
        #expect(outcome.errors.contains("flash it again"))
    }

    @Test func aSignalEndsTheCopyAndTheBoardCanBeFlashedAgain() throws {
        let pico = try SimulatedPico()
        let tool = try flashing(pico)
        tool.signal(SIGINT)
        let outcome = tool.outcome()
        #expect(outcome.wasEnded(by: SIGINT), "\(outcome)")
        #expect(outcome.errors.contains("flash it again"), "\(outcome)")
        #expect(pico.isInBootLoader)
        let again = try pico.bridge("flash", "--board", "pico")
        #expect(again.status == 0, "\(again)")
    }

    // MARK: The board's own memory

    @Test func valuesThatAWornMemoryDoesNotTakeAreAnError() throws {
        let pico = try SimulatedPico()
        try #require(try pico.bridge("actuator", "set", "VG1040003D").status == 0)
        for sector in [2_088_960, 2_093_056] { try pico.happen("flash worn \(sector)") }
        let set = try pico.bridge("actuator", "set", "C10-100", "--json")
        #expect(set.status == 74 && set.errors.contains("they are not stored"), "\(set)")
        #expect(set.errors.contains("worn out"))
        #expect(set.objects.first?["saved"] as? Bool == false)
        let info = try pico.bridge("info")
        #expect(info.output.contains("175.0 Hz"), "they count until the next start: \(info)")
        #expect(info.output.contains("could not be stored"))
    }

    // MARK: Boards and images

    /// Checks images whose block of pins cannot be, at the offset of one byte each: the board drives
    /// nothing, and waits in its boot loader for another.
    @Test(arguments: [(5, 9), (6, 200), (7, 4), (8, 77), (8, 5), (16, 99), (17, 0), (17, 200)])
    func aBoardThatIsToldOfPinsThatCannotBeWaitsForAnotherImage(offset: Int, value: UInt8) throws {
        let pico = try SimulatedPico()
        try #require(try pico.bridge("actuator", "set", "C10-100").status == 0)
        try pico.happen("baud 1200")
        try #require(wait { pico.isInBootLoader })
        var bytes = try Data(contentsOf: BoardSimulator.pico.image)
        bytes[2 * 512 + 32 + offset] = value
        try bytes.write(to: URL(fileURLWithPath: "\(pico.drive)/wrong.uf2"))
        try #require(wait { pico.bootLoaderEntries == 2 })
        try #require(wait { pico.isInBootLoader })
        let flash = try pico.bridge("flash", "--board", "pico", "--drive", pico.drive)
        #expect(flash.status == 0, "\(flash)")
    }

    @Test func anUnoIsNotTakenForAPico() throws {
        guard SimulatedUno.isExpected else { return }
        let uno = try SimulatedUno()
        let outcome = try uno.bridge("flash", "--board", "pico", "--port", uno.port)
        #expect(outcome.status == 79, "\(outcome)")
        #expect(outcome.errors.contains("Arduino Uno or Nano, not a Raspberry Pi Pico"))
        #expect(outcome.errors.contains("bridge flash --board uno --port \(uno.port)"))
    }

    @Test func anImageThatIsNotWholeIsRefusedBeforeAnythingIsTouched() throws {
        let pico = try SimulatedPico()
        var bytes = Array(try Data(contentsOf: BoardSimulator.pico.image))
        bytes[512 * 9 + 3] ^= 1
        let damaged = try folder.write("damaged.uf2", Data(bytes))
        let outcome = try pico.bridge("flash", "--board", "pico", "--image", damaged.path)
        #expect(outcome.status == 65 && outcome.errors.contains("damaged.uf2:9: not a block"))
        #expect(outcome.errors.contains("nothing was flashed") && pico.bootLoaderEntries == 0)
    }

    @Test func moreActuatorsThanABoardHasPinsForAreAMistake() throws {
        let pico = try SimulatedPico()
        for (board, count) in [("pico", "9"), ("trinkey-qt2040", "2"), ("uno", "5"), ("pico", "0")]
        {
            let outcome = try pico.bridge("flash", "--board", board, "--actuators", count)
            #expect(outcome.status == 64 && outcome.errors.contains("drives 1 to"), "\(outcome)")
        }
        #expect(pico.bootLoaderEntries == 0)
    }
}
