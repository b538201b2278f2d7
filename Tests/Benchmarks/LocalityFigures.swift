// Figures of how far apart in time a common change reaches several actuators: the image with a
// TCA9548A on the simulated ATmega328P, in cycles of the chip.

import BridgeLink
import Foundation
import HapticCompiler
import TestSupport
import VirtualBoard

enum LocalityFigures {
    static func print() throws {
        guard SimulatedBoard.isHere() else { return }
        let four = LockStepBoard.severalImage
        let seven = PackageFolder.url.appending(path: ".build/firmware-7/atmega328p.hex")
        note("localities: four actuators, then seven")
        let skews = try (differing: skew(4, four), equal: skew(4, four, differing: false))
        printFigure("locality_skew_us_max", skews.differing.skew, "us")
        printFigure("locality_skew_equal_us_max", skews.equal.skew, "us")
        printFigure("locality_onset_us_max", skews.differing.onset, "us")
        printFigure("several_ram_stack_bytes", skews.differing.stack, "bytes")
        guard FileManager.default.fileExists(atPath: seven.path) else {
            return note("skipped: the image for seven is not built (make bench)")
        }
        let more = try skew(7, seven)
        printFigure("locality_skew_seven_us_max", more.skew, "us")
        printFigure("seven_ram_stack_bytes", more.stack, "bytes")
    }

    /// Returns the greatest time between the ends of the first and the last chip's write of a
    /// level, and the greatest time from due to START of the first, both in microseconds.
    private static func skew(_ actuators: Int, _ image: URL, differing: Bool = true) throws
        -> (skew: Double, onset: Double, stack: Int)
    {
        let board = try LockStepBoard(
            program: LockStepBoard.simulator, image: image,
            options: ["--actuators", "\(actuators)"])
        let rig = try SeveralActuatorsRig(board)
        for actuator in 0..<actuators where differing {
            let gain = Gain(
                actuators: ActuatorMask(index: actuator), gain: UInt8(255 - 4 * actuator))
            try rig.link.carryOut(.gain(gain))
        }
        let changes = 400
        let events = [StreamEvent].differingLevels(changes, ticksApart: 40, seed: 7)
            .map { event -> StreamEvent in
                // Small levels would be equal in spite of the different gains.
                guard case .level(let level) = event.content else { return event }
                return StreamEvent(.level(100 + level % 150), at: event.tick)
            }
        try rig.play(events)
        guard let start = rig.link.current?.progress.startTime,
            let origin = board.trace.cycle(ofDeviceClock: start)
        else { throw SimulatedBoard.Failure(description: "the board has not told its start") }
        var worst = (skew: 0.0, onset: 0.0)
        let perMicrosecond = Double(CycleTrace.cyclesPerMicrosecond)
        let writes = board.trace.transactions.filter { $0.level != nil }
        for event in events {
            let due = origin + Cycle(event.tick) * 250 * CycleTrace.cyclesPerMicrosecond
            let parts = writes.filter { (due - 800..<due + 40 * 250 * 16 - 800).contains($0.start) }
            guard let first = parts.first, let last = parts.last else { continue }
            let reached = parts.reduce(0) { $0 + $1.chips.count }
            guard reached == actuators else {
                throw SimulatedBoard.Failure(description: "a level reached \(reached) chips")
            }
            worst.skew = max(worst.skew, Double(last.stop - first.stop) / perMicrosecond)
            worst.onset = max(worst.onset, abs(Double(first.start - due)) / perMicrosecond)
        }
        return (worst.skew, worst.onset, board.stackBytes)
    }
}
