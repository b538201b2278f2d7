// Tests of the board's own LED, whose brightness follows the level (SPEC 8.8), on simulated boards
// that run the image.

import BridgeLink
import DRV2605
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct ImageLightTests {
    /// The time for which the LED stays lit after a level has ended, plus one round of the loop.
    private static let dark: BoardTime = 43_000

    /// Returns the fraction of `time` microseconds for which the LED is lit.
    private func brightness(_ rig: ImageRig, for time: BoardTime) -> Double {
        let before = rig.board.litCycles
        rig.link.run(for: time)
        return Double(rig.board.litCycles - before) / Double(rig.board.simulator.cycles(time))
    }

    /// Returns the time for which the LED is lit during `body`, in microseconds.
    private func lit(_ rig: ImageRig, while body: () throws -> Void) rethrows -> BoardTime {
        let before = rig.board.litCycles
        try body()
        return rig.board.simulator.time(of: rig.board.litCycles - before)
    }

    @Test(arguments: BoardSimulator.here)
    func itIsAsBrightAsTheLevelIsStrong(_ simulator: BoardSimulator) throws {
        let rig = try ImageRig(simulator)
        for level in [4, 20, 64, 128, 184, 200, 255] as [UInt8] {
            rig.hold(level, for: 800_000)
            rig.link.run(for: 100_000)
            let part = brightness(rig, for: 600_000)
            #expect(abs(part - Double(level) / 255) < 0.04, "level \(level): \(part)")
            rig.link.run(for: 400_000)
        }
    }

    @Test(arguments: BoardSimulator.here)
    func aBusyLineDoesNotChangeItsBrightness(_ simulator: BoardSimulator) throws {
        let rig = try ImageRig(simulator)
        rig.playDensely(every: 200, for: 1_000_000)  // levels 40 and 90
        rig.link.run(for: 100_000)
        #expect(abs(brightness(rig, for: 600_000) - 90.0 / 255) < 0.04)
    }

    @Test(arguments: BoardSimulator.here)
    func itIsLitWithin2MillisecondsOfTheLevel(_ simulator: BoardSimulator) throws {
        let rig = try ImageRig(simulator)
        rig.board.forgetTrace()
        rig.hold(255, for: 300_000)
        rig.link.run(for: 200_000)
        let start = try #require(rig.board.driveChanges.first { $0.drive != 0 }).time
        let late = rig.board.now - start - simulator.time(of: rig.board.litCycles)
        #expect((-1...2_000).contains(late), "\(late) us late")
    }

    @Test(arguments: BoardSimulator.here)
    func aTapIsVisibleFor40Milliseconds(_ simulator: BoardSimulator) throws {
        let rig = try ImageRig(simulator)
        let time = lit(rig) {
            rig.link.begin(
                EventStreamEncoder.encode([
                    StreamEvent(.tap(intensity: 255, sharpness: 255), at: 0),
                    StreamEvent(.end, at: 100),
                ]))
            rig.link.run(for: 500_000)
        }
        #expect((40_000...43_000).contains(time), "\(time) us")
    }

    // MARK: Dark

    enum Ending: CaseIterable {
        case end, stop, mute, silence, brokenBus, reset, hang, hangWithoutInterrupts, noPower

        /// The maximum time until the board detects the end of the level, in microseconds,
        /// excluding the hold time of the LED.
        fileprivate var time: BoardTime {
            switch self {
            case .end, .stop, .mute, .brokenBus: 60_000
            case .silence, .hang: 300_000
            case .hangWithoutInterrupts: 600_000
            case .reset, .noPower: 0
            }
        }

        fileprivate func happen(to rig: ImageRig) throws {
            switch self {
            case .end: rig.link.run(for: 500_000)
            case .stop: _ = rig.link.session.stop()
            case .mute: _ = rig.link.session.mute(ActuatorMask(index: 0))
            case .silence: break
            case .brokenBus: rig.board.busIsStuck(true)
            case .reset: rig.board.reset()
            case .hang: rig.board.hang(interruptsOn: true)
            case .hangWithoutInterrupts: rig.board.hang(interruptsOn: false)
            case .noPower: rig.board.power(false)
            }
        }

        /// True if the host continues to send messages after the end of the level.
        fileprivate var hasHost: Bool { [.end, .stop, .mute, .brokenBus].contains(self) }
    }

    @Test(arguments: BoardSimulator.here, Ending.allCases)
    func whateverEndsALevelPutsItOut(_ simulator: BoardSimulator, _ ending: Ending) throws {
        let rig = try ImageRig(simulator)
        rig.hold(255, for: ending == .end ? 400_000 : 5_000_000)
        rig.link.run(for: 200_000)
        #expect(rig.board.litCycles > 0)
        try ending.happen(to: rig)
        pass(ending.time + Self.dark, rig, ending)
        let after = lit(rig) { pass(2_000_000, rig, ending) }
        #expect(after == 0, "lit for \(after) us after the level had ended")
    }

    private func pass(_ time: BoardTime, _ rig: ImageRig, _ ending: Ending) {
        if ending.hasHost {
            rig.link.run(for: time)
        } else {
            rig.board.advance(to: rig.board.now + time)
        }
    }

    @Test(arguments: BoardSimulator.here)
    func itIsDarkWhileTheBoardStartsAndIsSetUp(_ simulator: BoardSimulator) throws {
        let rig = try ImageRig(simulator)
        rig.link.run(for: 1_000_000)
        #expect(rig.board.litCycles == 0)
    }

    @Test(arguments: BoardSimulator.here)
    func ofSeveralActuatorsItShowsTheGreatestLevel(_ simulator: BoardSimulator) throws {
        let rig = try SeveralActuatorsRig(LockStepBoard.several(simulator))
        for (actuator, gain) in [51, 204, 102].enumerated() {
            let mask = ActuatorMask(index: actuator)
            try rig.link.carryOut(.gain(Gain(actuators: mask, gain: UInt8(gain))))
        }
        let first = (0..<3).reduce(into: ActuatorMask()) { $0.insert(ActuatorMask(index: $1)) }
        rig.begin([StreamEvent(.level(200), at: 0)], on: first, end: 4_000)
        rig.link.run(for: 200_000)
        let before = rig.board.litCycles
        rig.link.run(for: 500_000)
        let part = Double(rig.board.litCycles - before) / Double(simulator.cycles(500_000))
        #expect(abs(part - 160.0 / 255) < 0.04, "\(part)")
    }
}
