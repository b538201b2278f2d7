// bridge flash, with the real avrdude and a real boot loader, on the simulated chip.

import Foundation
import TestSupport
import Testing

@Suite(
    .enabled(if: SimulatedUno.isExpected, "the simulated port is not built"), .serialized,
    .againIfTheComputerIsBusy)
struct FlashTests {
    let folder = Folder()

    @Test func aBlankChipGetsFirmwareAndAnIdThatItKeeps() throws {
        let uno = try SimulatedUno(image: nil)
        let first = try uno.bridge("flash", "--board", "uno", "--json")
        #expect(first.status == 0, "\(first)")
        let result = try #require(first.objects.first)
        #expect(result["schema"] as? String == "bridge.flash/1")
        #expect(result["port"] as? String == uno.port && result["bytes"] as! Int > 10_000)
        let board = try #require(result["board"] as? [String: Any])
        let id = try #require(board["id"] as? String)
        #expect(id.count == 16 && id != "no id" && board["firmware"] as? String == "1.0")
        #expect(first.errors.contains("bridge actuator set --port \(uno.port)"))

        let second = try uno.bridge("flash", "--board", "uno")
        #expect(second.status == 0 && second.output.contains("board       \(id)"))
        #expect(!second.errors.contains("no id"), "an id is given once")
        #expect(uno.drives.isEmpty)
    }

    @Test func aBoardWithSeveralActuatorsGetsTheirFirmwareAndPlaysOnTheOneThatIsNamed() throws {
        let uno = try SimulatedUno(image: nil, options: ["--actuators", "4"])
        let flash = try uno.bridge("flash", "--board", "uno", "--several")
        #expect(flash.status == 0 && flash.errors.contains("actuator 3 is not"), "\(flash)")
        for (actuator, locality) in [("0", "leftHandle"), ("1", "rightHandle")] {
            let set = try uno.bridge(
                "actuator", "set", "VG1040003D", "--actuator", actuator, "--locality", locality)
            #expect(set.status == 0, "\(set)")
        }
        let tap = try folder.write("tap.ahap", BoardSamples.tap)
        let play = try uno.bridge("play", "--locality", "rightHandle", tap)
        #expect(play.status == 0, "\(play)")
        #expect(uno.drives(of: 1).contains { $0 > 0 } && uno.drives(of: 1).last == 0)
        #expect(!uno.drives(of: 0).contains { $0 != 0 })
        let absent = try uno.bridge("play", "--locality", "leftTrigger", tap)
        #expect(absent.status == 64 && absent.errors.contains("leftHandle"), "\(absent)")
    }

    @Test func anAdapterIsNotFlashedUnlessItIsNamed() throws {
        let nano = try SimulatedUno(image: nil, usb: .nano, port: "ttyUSB0")
        let outcome = try nano.bridge("flash", "--board", "nano", "--dry-run")
        #expect(outcome.status == 69 && outcome.errors.contains("--port PATH"), "\(outcome)")
        #expect(outcome.errors.contains("/dev/ttyUSB0 (CH340"))
        let allowed = try nano.bridge(
            "flash", "--board", "nano", "--dry-run", "--search-adapters")
        #expect(allowed.status == 0 && allowed.output.contains(nano.port), "\(allowed)")
        #expect(nano.resets == ["power"])
    }

    @Test func aDryRunSaysWhatItWouldDoAndTouchesNothing() throws {
        let uno = try SimulatedUno(image: nil)
        let outcome = try uno.bridge("flash", "--board", "nano-old", "--dry-run")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("-c arduino -p m328p -b 57600 -P \(uno.port) -D"))
        #expect(uno.resets == ["power"])
    }

    @Test func twoFirmwaresAtOnceAreAMistake() throws {
        let uno = try SimulatedUno(image: nil)
        let outcome = try uno.bridge("flash", "--board", "uno", "--several", "--image", "a.hex")
        #expect(outcome.status == 64 && outcome.errors.contains("--several and --image"))
        #expect(uno.resets == ["power"])
    }

    @Test func anotherFirmwareIsFlashedAndFoundSilent() throws {
        let uno = try SimulatedUno()
        let path = try folder.write("loop.hex", ":02000000FFCF30\n:00000001FF\n")
        let outcome = try uno.bridge("flash", "--board", "uno", "--image", path)
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("the image was flashed and verified"))
    }

    @Test func withoutAvrdudeItSaysHowToInstallIt() throws {
        let uno = try SimulatedUno()
        let outcome = try uno.bridge("flash", "--board", "uno", environment: ["PATH": "/none"])
        #expect(outcome.status == 72 && outcome.errors.contains("apt install avrdude"))
        #expect(uno.resets == ["power"])
    }

    @Test(arguments: [
        (":02000000FFCF30\n:027E0000FFCFB2\n", "bad.hex:2: data beyond"),
        (":02000000FFCF31\n:00000001FF\n", "bad.hex:1: wrong checksum"),
        (":02000000FFCF30\n", "bad.hex:2: the end-of-file record is missing"),
        (":00000001FF\n", "bad.hex:2: no data"),
        ("PK\u{3}\u{4}\n", "bad.hex:1: not an Intel HEX record"),
    ])
    func anImageThatIsNotWholeIsRefusedBeforeAnythingIsTouched(text: String, fault: String) throws {
        let uno = try SimulatedUno()
        let path = try folder.write("bad.hex", text)
        let outcome = try uno.bridge("flash", "--board", "uno", "--image", path)
        #expect(outcome.status == 65 && outcome.errors.contains(fault), "\(outcome)")
        #expect(uno.resets == ["power"])
    }
}
