// Tests of a new user's mishaps. Each mishap must have its own exit status, and the message must
// state the remedy.

import Foundation
import TestSupport
import Testing

@Suite(
    .enabled(if: SimulatedUno.isExpected, "the simulated port is not built"), .serialized,
    .witnessed(tolerance: .milliseconds(80)))
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

    private func expectRest(_ uno: SimulatedUno, place: SourceLocation = #_sourceLocation) {
        #expect(wait { (uno.drives.last ?? 0) == 0 }, sourceLocation: place)
    }

    private func tap() throws -> String { try folder.write("tap.ahap", BoardSamples.tap) }

    private func configured() throws -> SimulatedUno {
        let uno = try SimulatedUno()
        let set = try uno.bridge("actuator", "set", "VG1040003D")
        #expect(set.status == 0, "\(set)")
        return uno
    }

    // MARK: Playing

    @Test func aDriverThatIsNotOnTheBusIsNamedWithItsWires() throws {
        let uno = try SimulatedUno(options: ["--no-driver"])
        expect(try uno.bridge("actuator", "set", "VG1040003D"), 81, "SDA to A4", "pull-up")
        let doctor = try uno.bridge("doctor")
        #expect(doctor.status == 81 && doctor.output.contains("SDA to A4"), "\(doctor)")
    }

    /// Causes several faults on one board during playback, with each kind of program that can own
    /// the port.
    @Test(arguments: PortOwner.allCases)
    func aShortADrainedSupplyAndAHangAreReportedAndTheBoardPlaysAgain(owner: PortOwner) throws {
        try short(try configured(), owner)
        let uno = try configured()
        try drain(uno, owner)
        let outcome = try hang(uno, owner)
        expect(outcome, 74, "the board")
        let play = try uno.bridge("play", tap())
        #expect(play.status == 0, "\(play)")
    }

    private func short(_ uno: SimulatedUno, _ owner: PortOwner) throws {
        try uno.happen("chip short on")
        let play = try uno.bridge("play", tapAndBuzz(), environment: owner.environment)
        expect(play, 82, "over-current", "shorted")
        try uno.happen("chip diagnostics shorted")
        expect(try uno.bridge("calibrate"), 82, "over-current", "shorted", "8 ohms")
        expectRest(uno)
        try uno.happen("chip short off")
        try uno.happen("chip diagnostics ok")
    }

    private func drain(_ uno: SimulatedUno, _ owner: PortOwner) throws {
        let player = try play(on: uno, owner)
        try uno.happen("chip brownout")
        expect(player.outcome(), 83, "the supply of the driver failed", "empty battery")
        expectRest(uno)
        let doctor = try uno.bridge("doctor")
        #expect(doctor.status == 83 && doctor.output.contains("200 mA"), "\(doctor)")
    }

    /// Plays on a board whose firmware then hangs. Returns the output of `bridge play`.
    private func hang(_ uno: SimulatedUno, _ owner: PortOwner) throws -> Outcome {
        let player = try play(on: uno, owner)
        try uno.happen("hang irq-off")
        #expect(wait { uno.resets.contains("watchdog") })
        #expect(wait { uno.drives.last == 0 })
        return player.outcome()
    }

    /// Starts a long pattern. Returns as soon as the actuator is driven.
    private func play(on uno: SimulatedUno, _ owner: PortOwner) throws -> RunningTool {
        let before = uno.drives.count
        let player = try uno.run(
            Tool.executable("bridge"), ["play", tapAndBuzz()], environment: owner.environment)
        #expect(wait { uno.drives.dropFirst(before).contains { $0 > 0 } }, "\(player.errors)")
        return player
    }

    private func tapAndBuzz() throws -> String {
        try folder.write("buzz.ahap", BoardSamples.buzz)
    }

    @Test func anOldNanoThatHangsIsAtRestUntilItIsUnplugged() throws {
        let nano = try SimulatedUno(bootLoader: SimulatedUno.atmegaBoot, usb: .nano)
        #expect(try nano.bridge("info", "--port", nano.port).status == 0)
        #expect(try nano.bridge("actuator", "set", "VG1040003D").status == 0)
        expect(try hang(nano, .player), 74, "the board")
        // The Nano's boot loader leaves the watchdog enabled and runs for longer than the
        // watchdog's timeout.
        expect(try nano.bridge("info", "--port", nano.port), 69, "unplug the board for a moment")
        #expect(nano.resets.count { $0 == "watchdog" } > 10 && nano.drives.last == 0)
        try nano.happen("power off")
        try nano.happen("power on")
        let play = try nano.bridge("play", tap())
        #expect(play.status == 0, "\(play)")
    }

    @Test func aSupplyThatIsTooLowIsMeasuredWhilePlayingAndFoundByTheDoctor() throws {
        let uno = try configured()
        try uno.happen("chip supply 2800")
        let play = try uno.bridge("play", folder.write("second.ahap", BoardSamples.second))
        #expect(play.status == 0, "\(play)")
        let doctor = try uno.bridge("doctor")
        #expect(doctor.status == 83, "\(doctor)")
        #expect(doctor.output.contains("its driver's supply is 2.79 V"), "\(doctor)")
    }

    // MARK: Calibration

    @Test func aCalibrationThatDoesNotPassSaysWhy() throws {
        let uno = try configured()
        #expect(try uno.bridge("calibrate").status == 0)
        try uno.happen("chip calibration fails")
        expect(try uno.bridge("calibrate"), 82, "has failed", "loose or blocked")
        try uno.happen("chip diagnostics open")
        expect(try uno.bridge("calibrate"), 82, "open, shorted")
        try uno.happen("chip diagnostics ok")
        try uno.happen("chip calibration never")
        expect(try uno.bridge("calibrate"), 82, "did not end within 2 s")
        expectRest(uno)
        // This calibration would not end within 2 s either, so the bus fails before its end.
        let tool = try uno.run(Tool.executable("bridge"), ["calibrate"])
        #expect(wait { uno.drives.last == 255 })
        try uno.happen("chip nack 5")
        expect(tool.outcome(), 81, "the bus to its driver failed", "nothing was stored")
        expectRest(uno)
    }
}
