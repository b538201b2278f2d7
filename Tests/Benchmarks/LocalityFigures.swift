// Figures of the differences between the times at which a common change reaches several actuators.
// The images with a TCA9548A run on simulated microcontrollers, and times are counted in cycles of
// the microcontroller.

import BridgeLink
import Foundation
import HapticCompiler
import TestSupport
import VirtualBoard

enum LocalityFigures {
    static func print() throws {
        for simulator in SimulatedBoard.here { try print(simulator) }
    }

    private static func print(_ simulator: BoardSimulator) throws {
        let board = simulator.figureSuffix
        var (four, seven) = (simulator, simulator)
        four.image = simulator.severalImage
        // The RP2040 uses one image for any number of actuators.
        seven.image =
            simulator.line == .usb
            ? four.image : PackageFolder.url.appending(path: ".build/firmware-7/atmega328p.hex")
        note("localities on the \(simulator.name): four actuators, then seven")
        let skews = try (differing: skew(4, four), equal: skew(4, four, differing: false))
        printFigure("locality_skew_us_max\(board)", skews.differing.skew, "us")
        printFigure("locality_skew_equal_us_max\(board)", skews.equal.skew, "us")
        printFigure("locality_onset_us_max\(board)", skews.differing.onset, "us")
        printFigure("several_ram_stack_bytes\(board)", skews.differing.stack, "bytes")
        guard seven.absence == nil else {
            return note("skipped: the image for seven actuators is not built (make bench)")
        }
        let more = try skew(7, seven)
        printFigure("locality_skew_seven_us_max\(board)", more.skew, "us")
        printFigure("seven_ram_stack_bytes\(board)", more.stack, "bytes")
    }

    /// Returns two maximum times in microseconds: from the end of a level's first write to a chip
    /// to the end of its last write to a chip, and from the due time to START of the first write.
    private static func skew(
        _ actuators: Int, _ simulator: BoardSimulator, differing: Bool = true
    ) throws -> (skew: Double, onset: Double, stack: Int) {
        let board = try LockStepBoard(simulator, options: ["--actuators", "\(actuators)"])
        let rig = try SeveralActuatorsRig(board)
        for actuator in 0..<actuators where differing {
            let gain = Gain(
                actuators: ActuatorMask(index: actuator), gain: UInt8(255 - 4 * actuator))
            try rig.link.carryOut(.gain(gain))
        }
        let changes = 400
        let events = [StreamEvent].differingLevels(changes, ticksApart: 40, seed: 7)
            .map { event -> StreamEvent in
                // If the levels were small, they would be rounded to the same value despite the
                // different gains.
                guard case .level(let level) = event.content else { return event }
                return StreamEvent(.level(100 + level % 150), at: event.tick)
            }
        try rig.play(events)
        guard let start = rig.link.current?.progress.startTime,
            let origin = board.trace.cycle(ofDeviceClock: start)
        else { throw SimulatedBoard.Failure(description: "the board has not reported its start") }
        var worst = (skew: 0.0, onset: 0.0)
        let writes = board.trace.transactions.filter { $0.level != nil }
        for event in events {
            let due = origin + simulator.cycles(BoardTime(event.tick) * 250)
            let start = due - simulator.cycles(50)
            let parts = writes.filter {
                (start..<start + simulator.cycles(40 * 250)).contains($0.start)
            }
            guard let first = parts.first, let last = parts.last else { continue }
            let reached = parts.reduce(0) { $0 + $1.chips.count }
            guard reached == actuators else {
                throw SimulatedBoard.Failure(description: "a level reached \(reached) chips")
            }
            worst.skew = max(worst.skew, simulator.microseconds(last.stop - first.stop))
            worst.onset = max(worst.onset, simulator.microseconds(abs(first.start - due)))
        }
        return (worst.skew, worst.onset, board.stackBytes)
    }
}
