// The heat of an actuator, counted independently from what its chip drove (SPEC 8, Budget).

import BridgeLink
import CBridgeProtocol
import VirtualBoard

/// Counts heat as SPEC says: every `HEAT_STEP_US` of the board's clock, in whole numbers. The board
/// may look at any moment within a step, but at the same one in each.
struct BudgetReferee {
    private let sustained: Int
    private let limit: Int
    private let drives: [DriveChange]
    /// The longest time by which what the bus shows and what the board has looked at may differ:
    /// one transfer and one round of the board's loop.
    private let lag: BoardTime
    /// The number of steps for which a level may continue above the limit, because reducing it
    /// takes a transfer after the board has looked.
    private let steps: Int

    private static let step = BoardTime(BRIDGE_HEAT_STEP_US)
    /// The resolution with which the moments at which a board may look are tried, in microseconds.
    private static let phase: BoardTime = 32
    /// The lag of a board that looks all the time, in microseconds.
    private static let lag: BoardTime = 250

    /// The unit in which the heat is kept over a reset, which is that of the budget.
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
        // A transfer that fails is repeated in the next round of the port, up to twice.
        steps = 1 + Int((3 * interval + Self.step - 1) / Self.step)
        sustained = Int(configuration.sustained)
        limit = Int(configuration.budget) * 256
        let writes = board.transactions.filter { $0.actuator == actuator && $0.isAcknowledged }
        var next = 0
        drives = board.driveChanges.filter { $0.actuator == actuator }.map { change in
            while next < writes.count, writes[next].end < change.time - Self.lag { next += 1 }
            // A level that a chip has kept and drives by itself as EN rises does not count as
            // shown. It is bounded separately (SPEC 9).
            let isShown = next < writes.count && writes[next].end <= change.time
            var change = change
            change.drive = isShown ? change.drive : 0
            return change
        }
    }

    /// Returns the first moment at which an actuator is driven harder than its budget allows,
    /// wherever the board may have looked. The heat survives a reset, but not a loss of power.
    /// While the board hangs, it does not look.
    ///
    /// - Parameter resets: for each reset, the time from its cause until it occurred.
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

    /// Returns the heat that results when the board looks at these times.
    ///
    /// - Parameter heat: the heat before.
    private func borne(in looks: StrideTo<BoardTime>, from heat: Int) -> Borne {
        var (next, heat, over) = (0, heat, 0)
        for time in looks {
            while next < drives.count, drives[next].time <= time { next += 1 }
            // The least drive that the board may have seen.
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
