// The energy that an actuator receives, in volts and seconds, by the data sheet's formulas.

import BridgeLink
import CBridgeProtocol
import VirtualBoard

/// Integrates the square of the voltage at the actuator (SPEC 8.2) in arithmetic of its own: from
/// the registers that were written to the chip (SLOS854D 8.5.2) and from what the chip drove.
struct BudgetReferee {
    /// The rated voltage and the one that is tolerated without end, in volts.
    private let rated: Double
    private let sustained: Double
    /// The heat above which no more than `sustained` may be driven, in square volts times seconds.
    private let limit: Double
    private let drives: [(time: BoardTime, voltage: Double)]
    /// The longest time for which a voltage may continue above the limit, because the device looks
    /// every two steps, and reducing the voltage takes a transfer that may be repeated.
    private let grace: BoardTime

    /// The factor by which the heat may exceed the limit: a device rounds the steps of registers to
    /// the nearest, and a transfer takes a while.
    private static let tolerance = 1.03
    /// The longest time from the look at the heat until a transfer has ended, in microseconds.
    private static let transfer: BoardTime = 250
    /// The heat that a reset may lose, in seconds of the rated voltage: one unit of what is kept,
    /// and what was driven since.
    private static let lost = 0.003

    /// A voltage over the limit.
    struct Excess {
        var time: BoardTime
        var heat: Double
        var limit: Double
    }

    init(
        _ board: any SteppedBoard, _ configuration: ActuatorConfiguration, actuator: Int,
        port: InProcessBoard.Port
    ) {
        rated = Double(configuration.rated) / 1_000
        sustained = rated * Double(configuration.sustained) / 255
        // A millisecond of a budget is one of level 256.
        let unit = rated * rated * (65_536 / 65_025) * Double(BRIDGE_HEAT_STEP_US) / 1e6
        let interval = port.isAttentive ? 0 : port.interval + port.clockLag
        // A port that reads its clock before it writes is wrong about the length of each level.
        let unclear = rated * rated * 3 * Double(interval) / 1e6
        limit = Double(configuration.budget) * unit + unclear
        let step = BoardTime(BRIDGE_HEAT_STEP_US)
        grace = 2 * step + 3 * (interval + Self.transfer) + 3 * interval
        let writes = board.transactions.filter { $0.actuator == actuator && $0.isAcknowledged }
        var next = 0
        var registers = [UInt8](repeating: 0, count: 0x21)
        drives = board.driveChanges.filter { $0.actuator == actuator }.map { change in
            var isShown = false
            while next < writes.count, writes[next].end <= change.time {
                isShown = writes[next].end >= change.time - Self.transfer
                if let write = writes[next].write, write.register < registers.count {
                    registers[Int(write.register)] = write.value
                }
                next += 1
            }
            // A level that a chip has kept and drives by itself as EN rises does not count. It is
            // bounded separately (SPEC 9).
            let full = ChipVoltage.ofFullLevel(
                registers, resonance: Double(configuration.resonance) / 10)
            return (change.time, isShown ? full * Double(abs(change.drive)) / 255 : 0)
        }
    }

    /// Returns the first moment at which an actuator is driven harder than its budget allows. The
    /// heat survives a reset, but not a loss of power. While the board hangs, it counts nothing.
    ///
    /// - Parameter resets: for each reset, the time from its cause until it occurred.
    func firstExcess(
        until end: BoardTime, resets: [ClosedRange<BoardTime>], powerCycles: [BoardTime]
    ) -> Excess? {
        let begins = [0] + resets.map(\.upperBound)
        var heat = 0.0
        for (begin, end) in zip(begins, resets.map(\.lowerBound) + [end]) {
            if powerCycles.contains(begin) { heat = 0 }
            if let excess = excess(from: begin, until: end, heat: &heat) { return excess }
            heat = max(0, heat - Self.lost * rated * rated)
        }
        return nil
    }

    private func excess(
        from begin: BoardTime, until end: BoardTime, heat: inout Double
    ) -> Excess? {
        var over: BoardTime = 0
        var time = begin
        var voltage = drives.last { $0.time <= begin }?.voltage ?? 0
        let ahead = drives.filter { $0.time > begin && $0.time < end } + [(end, 0)]
        for change in ahead {
            let seconds = Double(change.time - time) / 1e6
            let gain = voltage * voltage - sustained * sustained
            // The part of this span in which the heat is above the limit.
            let room = max(0, limit * Self.tolerance - heat)
            if gain > 0, heat + gain * seconds > limit * Self.tolerance {
                over += change.time - time - BoardTime(room / gain * 1e6)
            } else if heat + gain * seconds <= limit * Self.tolerance {
                over = 0
            }
            heat = max(0, heat + gain * seconds)
            if over > grace, voltage > sustained * 1.01 {
                return Excess(time: change.time, heat: heat, limit: limit)
            }
            (time, voltage) = (change.time, change.voltage)
        }
        return nil
    }
}
