// Ten mishaps of a new user: each has its own exit status, and its message says what to do.

import Foundation
import TestSupport
import Testing

@Suite(
    .enabled(if: SimulatedUno.isExpected, "the simulated port is not built"), .serialized,
    .againIfTheComputerIsBusy)
struct MishapTests {
    let folder = Folder()

    private func expect(
        _ outcome: Outcome, _ status: Int32, _ advice: String...,
        place: SourceLocation = #_sourceLocation
    ) {
        #expect(outcome.status == status, "\(outcome)", sourceLocation: place)
        for words in advice {
            #expect(outcome.errors.contains(words), "\(outcome)", sourceLocation: place)
        }
    }

    private func tap() throws -> String { try folder.write("tap.ahap", BoardSamples.tap) }

    private func configured(_ options: String...) throws -> SimulatedUno {
        let uno = try SimulatedUno(options: options)
        let set = try uno.bridge("actuator", "set", "VG1040003D")
        #expect(set.status == 0, "\(set)")
        return uno
    }

    // MARK: Flashing

    @Test func theWrongBoard() throws {
        let loader = try SimulatedUno.optiboot(signature: 0x16, in: folder)
        let uno = try SimulatedUno(bootLoader: loader)
        let outcome = try uno.bridge("flash", "--board", "uno")
        expect(outcome, 79, "an ATmega328PB, not an ATmega328P", "nothing was written")
        #expect(try uno.bridge("info").status == 0, "the old firmware is whole")
    }

    @Test func noPermission() throws {
        let uno = try SimulatedUno()
        guard let denied = try uno.bridgeWithoutPermission("info", "--port", uno.port) else {
            return
        }
        expect(denied, 77, "dialout")
        if let flash = try uno.bridgeWithoutPermission("flash", "--board", "uno") {
            expect(flash, 77, "dialout")
        }
        let doctor = try uno.bridgeWithoutPermission("doctor")
        #expect(doctor?.status == 77)
        #expect(doctor?.output.contains("60-haptic-bridge.rules") == true)
        #expect(doctor?.output.contains("usermod -aG dialout") == true)
    }

    @Test func aBusyPort() throws {
        let uno = try SimulatedUno()
        let descriptor = open(uno.terminal, O_RDWR | O_NOCTTY)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX) == 0)
        expect(try uno.bridge("flash", "--board", "uno"), 75, "in use by", "end that program")
        let doctor = try uno.bridge("doctor")
        #expect(doctor.status == 75 && doctor.output.contains("end that program"))
    }

    @Test func theCableIsPulledDuringFlashing() throws {
        let uno = try SimulatedUno()
        let tool = try uno.run(Tool.executable("bridge"), ["flash", "--board", "uno"])
        #expect(uno.waitUntilFlashing())
        uno.unplug()
        expect(tool.outcome(), 74, "unplugged while it was being flashed", "flash it again")
    }

    @Test func aCorruptImage() throws {
        let uno = try SimulatedUno()
        var text = try String(contentsOf: BoardSimulator.atmega328p.image, encoding: .utf8)
        let place = text.index(text.startIndex, offsetBy: 2_000)
        text.replaceSubrange(place...place, with: text[place] == "0" ? "1" : "0")
        let path = try folder.write("image.hex", text)
        let outcome = try uno.bridge("flash", "--board", "uno", "--image", path)
        expect(outcome, 65, "image.hex:", "wrong checksum", "nothing was flashed")
        #expect(uno.resets == ["power"])
    }

    @Test func theWrongRate() throws {
        let uno = try SimulatedUno()
        let outcome = try uno.bridge("flash", "--board", "nano-old")
        expect(outcome, 80, "at 57600 baud", "--board nano")
        #expect(try uno.bridge("info").status == 0, "the old firmware is whole")
    }

    // MARK: Playing

    @Test func oldFirmware() throws {
        let uno = try SimulatedUno(image: SimulatedUno.oldImage)
        let outcome = try uno.bridge("play", tap())
        expect(outcome, 76, "update its firmware", "bridge flash")
        let doctor = try uno.bridge("doctor", "--port", uno.port)
        #expect(doctor.status == 76 && doctor.output.contains("bridge flash"), "\(doctor)")
        #expect(try uno.bridge("flash", "--board", "uno").status == 0)
        #expect(try uno.bridge("info").status == 0)
    }

    @Test func noDriverOnTheBus() throws {
        let uno = try SimulatedUno(options: ["--no-driver"])
        expect(try uno.bridge("actuator", "set", "VG1040003D"), 81, "SDA to A4", "pull-up")
        let doctor = try uno.bridge("doctor")
        #expect(doctor.status == 81 && doctor.output.contains("SDA to A4"), "\(doctor)")
    }

    @Test(arguments: PortOwner.allCases)
    func aShortedActuator(owner: PortOwner) throws {
        let uno = try configured()
        try uno.happen("chip short on")
        let play = try uno.bridge("play", tapAndBuzz(), environment: owner.environment)
        expect(play, 82, "over-current", "shorted")
        try uno.happen("chip diagnostics shorted")
        expect(try uno.bridge("calibrate"), 82, "over-current", "shorted", "8 ohms")
        #expect(wait { (uno.drives.last ?? 0) == 0 })
    }

    @Test(arguments: PortOwner.allCases)
    func aDrainedSupply(owner: PortOwner) throws {
        let uno = try configured()
        let player = try uno.run(
            Tool.executable("bridge"), ["play", tapAndBuzz()], environment: owner.environment)
        #expect(wait { uno.drives.contains { $0 > 0 } })
        try uno.happen("chip brownout")
        expect(player.outcome(), 83, "lost its supply", "empty battery")
        #expect(wait { (uno.drives.last ?? 0) == 0 })
        let doctor = try uno.bridge("doctor")
        #expect(doctor.status == 83 && doctor.output.contains("200 mA"), "\(doctor)")
    }

    /// Plays on a board whose program then hangs, and returns the outcome of the player.
    private func hang(_ uno: SimulatedUno, owner: PortOwner = .player) throws -> Outcome {
        #expect(try uno.bridge("actuator", "set", "VG1040003D").status == 0)
        let player = try uno.run(
            Tool.executable("bridge"), ["play", tapAndBuzz()], environment: owner.environment)
        #expect(wait { uno.drives.contains { $0 > 0 } })
        try uno.happen("hang irq-off")
        #expect(wait { uno.resets.contains("watchdog") })
        #expect(wait { uno.drives.last == 0 })
        return player.outcome()
    }

    @Test(arguments: PortOwner.allCases)
    func aProgramThatHangsIsResetByTheWatchdogAndPlaysAgain(owner: PortOwner) throws {
        let uno = try SimulatedUno()
        let outcome = try hang(uno, owner: owner)
        expect(outcome, 74, "the board")
        let play = try uno.bridge("play", tap())
        #expect(play.status == 0, "\(play)")
    }

    @Test func anOldNanoThatHangsIsAtRestUntilItIsUnplugged() throws {
        let nano = try SimulatedUno(bootLoader: SimulatedUno.atmegaBoot, usb: .nano)
        #expect(try nano.bridge("info", "--port", nano.port).status == 0)
        let outcome = try hang(nano)
        expect(outcome, 74, "the board")
        // The Nano's boot loader leaves the watchdog on, and takes longer than the watchdog allows.
        expect(try nano.bridge("info", "--port", nano.port), 69, "unplug it for a moment")
        #expect(nano.resets.count { $0 == "watchdog" } > 10 && nano.drives.last == 0)
        try nano.happen("power off")
        try nano.happen("power on")
        let play = try nano.bridge("play", tap())
        #expect(play.status == 0, "\(play)")
    }

    // MARK: Calibration

    @Test func aCalibrationThatDoesNotPassSaysWhy() throws {
        let uno = try configured()
        #expect(try uno.bridge("calibrate").status == 0)
        try uno.happen("chip calibration fails")
        expect(try uno.bridge("calibrate"), 82, "has failed", "loose or blocked")
        try uno.happen("chip diagnostics open")
        expect(try uno.bridge("calibrate"), 82, "open or shorted")
        try uno.happen("chip diagnostics ok")
        try uno.happen("chip calibration never")
        expect(try uno.bridge("calibrate"), 82, "did not end within 2 s")
        try uno.happen("chip calibration passes")
        #expect(wait { (uno.drives.last ?? 0) == 0 })
        let tool = try uno.run(Tool.executable("bridge"), ["calibrate"])
        #expect(wait { uno.drives.last == 255 })
        try uno.happen("chip nack 5")
        expect(tool.outcome(), 81, "the bus to its driver failed", "nothing was stored")
        #expect(wait { (uno.drives.last ?? 0) == 0 })
    }

    private func tapAndBuzz() throws -> String {
        try folder.write("buzz.ahap", BoardSamples.buzz)
    }
}
