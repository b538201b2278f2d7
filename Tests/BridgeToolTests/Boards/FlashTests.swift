// Tests of `bridge flash` before it accesses a board: the images and ports that it rejects, and its
// messages.

import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: IdlePort.isHere, "the library for the simulated port is not built"))
struct FlashTests {
    let folder = Folder()

    // MARK: An Uno or Nano

    @Test func anAdapterIsNotFlashedUnlessItIsNamed() throws {
        let nano = try IdlePort(.nano, port: "ttyUSB0")
        let outcome = try nano.bridge("flash", "--board", "nano", "--dry-run")
        #expect(outcome.status == 69 && outcome.errors.contains("--port PATH"), "\(outcome)")
        #expect(outcome.errors.contains("/dev/ttyUSB0 (CH340"))
        let allowed = try nano.bridge(
            "flash", "--board", "nano", "--dry-run", "--search-adapters")
        #expect(allowed.status == 0 && allowed.output.contains(nano.port), "\(allowed)")
        #expect(!nano.hasBeenOpened())
    }

    @Test func aDryRunSaysWhatItWouldDoAndTouchesNothing() throws {
        let uno = try IdlePort()
        let outcome = try uno.bridge("flash", "--board", "nano-old", "--dry-run")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("-c arduino -p m328p -b 57600 -P \(uno.port) -D"))
        #expect(!uno.hasBeenOpened())
    }

    @Test func aPortThatDoesNotExistIsRefusedByADryRunToo() throws {
        let uno = try IdlePort()
        let outcome = try uno.bridge(
            "flash", "--board", "uno", "--dry-run", "--port", "/dev/ttyACM99")
        #expect(outcome.status == 69 && outcome.errors.contains("no such port"), "\(outcome)")
    }

    @Test func twoFirmwaresAtOnceAreAMistake() throws {
        let uno = try IdlePort()
        let outcome = try uno.bridge("flash", "--board", "uno", "--several", "--image", "a.hex")
        #expect(outcome.status == 64 && outcome.errors.contains("--several and --image"))
        #expect(!uno.hasBeenOpened())
    }

    @Test(arguments: [[], ["--dry-run"]])
    func withoutAvrdudeItSaysHowToInstallIt(options: [String]) throws {
        let uno = try IdlePort()
        let outcome = try uno.run(
            Tool.executable("bridge"), ["flash", "--board", "uno"] + options,
            environment: ["PATH": "/none"]
        ).outcome()
        #expect(outcome.status == 72 && outcome.errors.contains("apt install avrdude"))
        #expect(!uno.hasBeenOpened())
    }

    @Test(arguments: [
        (":02000000FFCF30\n:027E0000FFCFB2\n", "bad.hex:2: data beyond"),
        (":02000000FFCF31\n:00000001FF\n", "bad.hex:1: wrong checksum"),
        (":02000000FFCF30\n", "bad.hex:2: the end-of-file record is missing"),
        (":00000001FF\n", "bad.hex:2: no data"),
        ("PK\u{3}\u{4}\n", "bad.hex:1: not an Intel HEX record"),
    ])
    func anImageThatIsNotWholeIsRefusedBeforeAnythingIsTouched(text: String, fault: String) throws {
        let uno = try IdlePort()
        let path = try folder.write("bad.hex", text)
        let outcome = try uno.bridge("flash", "--board", "uno", "--image", path)
        #expect(outcome.status == 65 && outcome.errors.contains(fault), "\(outcome)")
        #expect(!uno.hasBeenOpened())
    }

    @Test func aWrongDigitOfTheImageIsReportedWithItsLine() throws {
        let uno = try IdlePort()
        var text = try String(contentsOf: BoardSimulator.atmega328p.image, encoding: .utf8)
        let position = text.index(text.startIndex, offsetBy: 2_000)
        text.replaceSubrange(position...position, with: text[position] == "0" ? "1" : "0")
        let path = try folder.write("image.hex", text)
        let outcome = try uno.bridge("flash", "--board", "uno", "--image", path)
        #expect(outcome.status == 65, "\(outcome)")
        for words in ["image.hex:", "wrong checksum", "nothing was flashed"] {
            #expect(outcome.errors.contains(words), "\(outcome)")
        }
        #expect(!uno.hasBeenOpened())
    }

    // MARK: A board with an RP2040

    private func pico(_ usb: PluggedPort.USB = .pico) throws -> IdlePort {
        let pico = try IdlePort(usb, port: "ttyACM5")
        try pico.mount([])
        return pico
    }

    @Test func theDriveOfAnotherChipIsRefused() throws {
        let pico = try pico()
        let other = try pico.addDrive("RP2350", boardID: "RP2350")
        for options in [[], ["--dry-run"]] {
            let outcome = try pico.run(
                Tool.executable("bridge"),
                ["flash", "--board", "pico", "--drive", other] + options
            ).outcome()
            #expect(
                outcome.status == 79 && outcome.errors.contains("to an RP2350, not to an RPI-RP2"))
            #expect(outcome.errors.contains("nothing was written"))
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: other)
        #expect(files == ["INFO_UF2.TXT"])
    }

    @Test func aFolderThatIsNoDriveIsRefused() throws {
        let pico = try pico()
        let outcome = try pico.bridge("flash", "--board", "pico", "--drive", folder.url.path)
        #expect(outcome.status == 69 && outcome.errors.contains("INFO_UF2.TXT is missing"))
        let missing = try pico.bridge("flash", "--board", "pico", "--drive", "/media/none")
        #expect(missing.status == 69 && missing.errors.contains("no such folder"))
        #expect(!pico.hasBeenOpened())
    }

    @Test func severalDrivesAreAskedAbout() throws {
        let pico = try pico()
        let drives = try ["RPI-RP2 1", "RPI-RP2 2"].map {
            try pico.addDrive($0, boardID: "RPI-RP2")
        }
        try pico.mount(drives.map { $0.replacing(" ", with: #"\040"#) })
        let outcome = try pico.bridge("flash", "--board", "pico")
        #expect(outcome.status == 69 && outcome.errors.contains("--drive FOLDER"), "\(outcome)")
        #expect(drives.allSatisfy { outcome.errors.contains($0) })
        #expect(!pico.hasBeenOpened())
    }

    @Test func aPortOfAnotherDeviceIsNotTouched() throws {
        let stranger = try pico(.stranger)
        let search = try stranger.bridge("flash", "--board", "pico")
        #expect(search.status == 69 && search.errors.contains("hold the BOOTSEL button"))
        #expect(!stranger.hasBeenOpened())
    }

    @Test func anImageForAnRP2040ThatIsNotWholeIsRefusedBeforeAnythingIsTouched() throws {
        let pico = try pico()
        var bytes = Array(try Data(contentsOf: BoardSimulator.pico.image))
        bytes[512 * 9 + 3] ^= 1
        let damaged = try folder.write("damaged.uf2", Data(bytes))
        let outcome = try pico.bridge("flash", "--board", "pico", "--image", damaged.path)
        #expect(
            outcome.status == 65 && outcome.errors.contains("damaged.uf2: block 9: not a block"))
        #expect(outcome.errors.contains("nothing was flashed") && !pico.hasBeenOpened())
    }

    @Test func moreActuatorsThanABoardHasPinsForAreAMistake() throws {
        let pico = try pico()
        for (board, count) in [("pico", "9"), ("trinkey-qt2040", "2"), ("uno", "5"), ("pico", "0")]
        {
            let outcome = try pico.bridge("flash", "--board", board, "--actuators", count)
            #expect(outcome.status == 64 && outcome.errors.contains("drives 1 to"), "\(outcome)")
        }
        #expect(!pico.hasBeenOpened())
    }
}
