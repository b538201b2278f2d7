// What an actuator has borne, counted anew from what its chip drove (SPEC 8, Budget).

import BridgeLink
import CBridgeProtocol
import VirtualBoard

/// Counts as SPEC says: every `HEAT_STEP_US` of the board's clock, in whole numbers. Where in a step
/// the board looks is its own affair, but it is the same place in each.
struct BudgetReferee {
    private let sustained: Int
    private let limit: Int
    private let drives: [DriveChange]
    /// What is shown and what is looked at may differ for so long: a transfer, and a round of the
    /// board's loop.
    private let lag: BoardTime
    /// For so many steps a level may go on over the limit: what holds it back is a transfer, once the
    /// board has looked.
    private let steps: Int

    private static let step = BoardTime(BRIDGE_HEAT_STEP_US)
    /// How finely it is tried where a board looks.
    private static let phase: BoardTime = 32
    /// Of a board that looks all the time.
    private static let lag: BoardTime = 250

    /// Over a reset what was borne is kept in the unit of the budget.
    private static let unit = 256

    /// A level over the limit.
    struct Excess {
        var time: BoardTime
        var heat: Int
        var limit: Int
    }

    init(
        _ board: any SteppedBoard, _ configuration: ActuatorConfiguration, actuator: Int,
        port: InProcessBoard.Port
    ) {
        let interval = port.isAttentive ? 0 : port.interval + port.clockLag
        lag = Self.lag + interval
        // A transfer that fails goes out again with the next round of the port, twice.
        steps = 1 + Int((3 * interval + Self.step - 1) / Self.step)
        sustained = Int(configuration.sustained)
        limit = Int(configuration.budget) * 256
        let writes = board.transactions.filter { $0.actuator == actuator && $0.isAcknowledged }
        var next = 0
        drives = board.driveChanges.filter { $0.actuator == actuator }.map { change in
            while next < writes.count, writes[next].end < change.time - Self.lag { next += 1 }
            // What a chip has kept and drives by itself as EN rises is nothing that is shown; it is
            // bounded otherwise (SPEC 9).
            let isShown = next < writes.count && writes[next].end <= change.time
            var change = change
            change.drive = isShown ? change.drive : 0
            return change
        }
    }

    /// The first moment at which an actuator is driven harder than its budget allows, wherever the
    /// board may have looked. What it has borne survives a reset, but no loss of power; while it hangs
    /// it looks at nothing.
    ///
    /// - Parameter resets: each from what led to it until it came.
    func firstExcess(
        until end: BoardTime, resets: [ClosedRange<BoardTime>], powerCycles: [BoardTime]
    ) -> Excess? {
        let begins = [0] + resets.map(\.upperBound)
        var heat = 0
        for (begin, end) in zip(begins, resets.map(\.lowerBound) + [end]) {
            if powerCycles.contains(begin) { heat = 0 }
            var least: Int?
            var found: Excess?
            for phase in stride(from: 0, to: Self.step, by: Int(Self.phase)) {
                let looks = stride(from: begin + phase, to: end, by: Int(Self.step))
                switch borne(in: looks, from: heat) {
                case .heat(let heat): least = min(least ?? heat, heat)
                case .excess(let excess): found = excess
                }
                if least != nil, resets.isEmpty { break }
            }
            guard let least else { return found }
            heat = max(0, least - Self.unit)
        }
        return nil
    }

    private enum Borne {
        case heat(Int)
        case excess(Excess)
    }

    /// - Parameter heat: what it had borne before.
    private func borne(in looks: StrideTo<BoardTime>, from heat: Int) -> Borne {
        var (next, heat, over) = (0, heat, 0)
        for time in looks {
            while next < drives.count, drives[next].time <= time { next += 1 }
            // The least of what it may have seen.
            var drive = next > 0 ? drives[next - 1].drive.magnitude : 0
            for later in drives[next...] where drive > 0 {
                guard later.time <= time + lag else { break }
                drive = min(drive, later.drive.magnitude)
            }
            let value = Int(drive)
            heat = max(0, heat + value * value / 256 - sustained * sustained / 256)
            over = heat > limit && value > sustained ? over + 1 : 0
            if over > steps {
                return .excess(Excess(time: time, heat: heat, limit: limit))
            }
        }
        return .heat(heat)
    }
}
