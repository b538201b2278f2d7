// Tests of `bridge flash` with the real avrdude and real boot loaders on the simulated chip:
// failures, and boards other than an Uno. JourneyTests flashes a blank Uno.

import Foundation
import TestSupport
import Testing

@Suite(
    .enabled(if: SimulatedUno.isExpected, "the simulated port is not built"), .serialized,
    .witnessed(tolerance: .milliseconds(80)))
struct FlashingTests {
    let folder = Folder()

    private static let id: UInt64 = 0x0123_4567_89AB_CDEF

    // MARK: Interruptions

    @Test func aSignalEndsAvrdudeTooAndTheBoardIsFlashedAgainAndKeepsItsId() throws {
        let uno = try SimulatedUno(id: Self.id)
        let tool = try uno.run(Tool.executable("bridge"), ["flash", "--board", "uno"])
        #expect(uno.waitUntilFlashing())
        tool.signal(SIGTERM)
        let outcome = tool.outcome()
        #expect(outcome.wasEnded(by: SIGTERM), "\(outcome)")
        #expect(outcome.errors.contains("flash the board again"), "\(outcome)")
        let again = try uno.bridge("flash", "--board", "uno")
        #expect(again.status == 0 && again.output.contains("0123456789abcdef"), "\(again)")
        #expect(!again.errors.contains("no id"), "an id is assigned only once")
        #expect(uno.drives.isEmpty)
    }

    @Test func aCableThatIsPulledDuringFlashingIsReported() throws {
        let uno = try SimulatedUno()
        let tool = try uno.run(Tool.executable("bridge"), ["flash", "--board", "uno"])
        #expect(uno.waitUntilFlashing())
        uno.unplug()
        let outcome = tool.outcome()
        #expect(outcome.status == 74, "\(outcome)")
        #expect(outcome.errors.contains("unplugged while it was being flashed"), "\(outcome)")
        #expect(outcome.errors.contains("flash it again"), "\(outcome)")
    }

    // MARK: Boards mistaken for other boards

    /// A board, and the type of board that the user mistakes it for.
    enum Mistake: CaseIterable {
        case anATmega328PBForAnUno, anUnoForAnOldNano, anOldNanoForANewOne

        func board(in folder: Folder) throws -> SimulatedUno {
            switch self {
            case .anATmega328PBForAnUno:
                try SimulatedUno(bootLoader: SimulatedUno.optiboot(signature: 0x16, in: folder))
            case .anUnoForAnOldNano: try SimulatedUno()
            case .anOldNanoForANewOne:
                try SimulatedUno(bootLoader: SimulatedUno.atmegaBoot, usb: .nano, port: "ttyUSB0")
            }
        }

        var name: String {
            switch self {
            case .anATmega328PBForAnUno: "uno"
            case .anUnoForAnOldNano: "nano-old"
            case .anOldNanoForANewOne: "nano"
            }
        }

        var status: Int32 { self == .anATmega328PBForAnUno ? 79 : 80 }

        var advice: [String] {
            switch self {
            case .anATmega328PBForAnUno:
                ["an ATmega328PB, not an ATmega328P", "nothing was written"]
            case .anUnoForAnOldNano: ["at 57600 baud", "--board nano"]
            case .anOldNanoForANewOne: ["--board nano-old"]
            }
        }
    }

    @Test func aSignalBeforeABootLoaderHasAnsweredHasWrittenNothing() throws {
        let uno = try SimulatedUno()
        let tool = try uno.run(
            Tool.executable("bridge"), ["flash", "--board", "nano-old", "--port", uno.port])
        #expect(wait { tool.errors.contains("waiting for the boot loader at 57600 baud") })
        tool.signal(SIGTERM)
        let outcome = tool.outcome()
        #expect(outcome.wasEnded(by: SIGTERM), "\(outcome)")
        #expect(outcome.errors.contains("nothing was written"), "\(outcome)")
    }

    @Test(arguments: Mistake.allCases)
    func aBoardThatIsTakenForAnotherKeepsItsFirmware(mistake: Mistake) throws {
        let uno = try mistake.board(in: folder)
        let outcome = try uno.bridge("flash", "--board", mistake.name, "--port", uno.port)
        #expect(outcome.status == mistake.status, "\(outcome)")
        for words in mistake.advice { #expect(outcome.errors.contains(words), "\(outcome)") }
        let info = try uno.bridge("info", "--port", uno.port)
        #expect(info.status == 0, "the old firmware is intact: \(info)")
    }

    // MARK: Other firmware

    @Test func anotherFirmwareIsFlashedAndFoundSilent() throws {
        let uno = try SimulatedUno()
        let path = try folder.write("loop.hex", ":02000000FFCF30\n:00000001FF\n")
        let outcome = try uno.bridge("flash", "--board", "uno", "--image", path)
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.errors.contains("the image was flashed and verified"))
        #expect(
            outcome.errors.contains("  if the chip is marked LGT8F328P, it is not an ATmega328P"))
        #expect(outcome.errors.contains("the firmware needs the 16 MHz clock"))
    }

    /// Checks firmware with an older protocol version, and an older version of the firmware. The
    /// complete proof also checks that flashing the board solves the problem.
    @Test(arguments: [SimulatedUno.oldImage, SimulatedUno.earlierImage])
    func olderFirmwareIsNamedWithItsCure(image: URL) throws {
        let uno = try SimulatedUno(image: image, id: Self.id)
        let doctor = try uno.bridge("doctor", "--port", uno.port)
        if image == SimulatedUno.oldImage {
            let play = try uno.bridge("play", folder.write("tap.ahap", BoardSamples.tap))
            #expect(
                play.status == 76 && play.errors.contains("update the firmware of the board"),
                "\(play)")
            #expect(play.errors.contains("bridge flash"))
            #expect(doctor.status == 76 && doctor.output.contains("bridge flash"), "\(doctor)")
        } else {
            #expect(
                doctor.output.contains("its firmware 0.9 is older than this program's"), "\(doctor)"
            )
            #expect(doctor.output.contains("bridge flash --board uno --port \(uno.port)"))
        }
        guard Proof.isComplete else { return }
        #expect(try uno.bridge("flash", "--board", "uno", "--port", uno.port).status == 0)
        let after = try uno.bridge("doctor")
        #expect(!after.output.contains("is older than"), "\(after)")
        #expect(after.output.contains("firmware 1.0, protocol 1"), "\(after)")
    }

    // MARK: Other boards

    @Test(.enabled(if: Proof.isComplete, "only in the complete proof: it takes 40 s"))
    func aNanoWithTheOldBootLoaderGetsFirmwareThatPlays() throws {
        let nano = try SimulatedUno(
            image: nil, bootLoader: SimulatedUno.atmegaBoot, usb: .nano, port: "ttyUSB0")
        let flash = try nano.bridge("flash", "--board", "nano-old", "--port", nano.port)
        #expect(flash.status == 0 && flash.output.contains("firmware    1.0"), "\(flash)")
        #expect(try nano.bridge("actuator", "set", "VG1040003D").status == 0)
        #expect(nano.drives.isEmpty)
        let play = try nano.bridge("play", folder.write("tap.ahap", BoardSamples.tap))
        #expect(play.status == 0 && nano.hasDriven, "\(play)")
        #expect(nano.drives.last == 0)
    }

    @Test(.enabled(if: Proof.isComplete, "only in the complete proof: it takes 30 s"))
    func aBoardWithSeveralActuatorsGetsTheirFirmwareAndPlaysOnTheOneThatIsNamed() throws {
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
}
