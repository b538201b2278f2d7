// BudgetReferee: checks the energy that an actuator receives, in volts and seconds, with the
// formulas of the data sheet.

import BridgeLink
import CBridgeProtocol
import VirtualBoard

/// Integrates the square of the voltage at the actuator (SPEC 8.2) independently of the firmware.
/// The voltage is calculated from the registers that are written to the chip (SLOS854D 8.5.2) and
/// from the chip's drive.
struct BudgetReferee {
    /// The rated voltage, and the voltage that the actuator tolerates continuously, in volts.
    private let rated: Double
    private let sustained: Double
    /// The heat above which the drive may not exceed `sustained`, in square volts times seconds.
    private let limit: Double
    private let drives: [(time: BoardTime, voltage: Double)]
    /// The maximum time for which the voltage may exceed the limit. The device checks the heat
    /// every two steps, and the transfer that reduces the voltage may have to be repeated.
    private let grace: BoardTime

    /// The permitted ratio between the heat and the limit. The ratio is greater than 1, because the
    /// device rounds register values to the nearest step and a transfer takes time.
    private static let tolerance = 1.03
    /// The maximum time from the check of the heat to the end of a transfer, in microseconds.
    private static let transfer: BoardTime = 250
    /// The heat that a reset may lose, in seconds at the rated voltage. The lost heat is one unit
    /// of the stored value, and the heat that was added after the value was stored.
    private static let lost = 0.003

    /// A period during which the voltage exceeds the limit.
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
        // The unit of a budget is the heat of a millisecond at level 256.
        let unit = rated * rated * (65_536 / 65_025) * Double(BRIDGE_HEAT_STEP_US) / 1e6
        let interval = port.isAttentive ? 0 : port.interval + port.clockLag
        // A port that reads its clock some time before it writes measures the length of each level
        // inaccurately.
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
            // A level that a chip has retained and drives when EN rises does not count, because
            // SPEC 9 limits these levels separately.
            let full = ChipVoltage.ofFullLevel(
                registers, resonance: Double(configuration.resonance) / 10)
            return (change.time, isShown ? full * Double(abs(change.drive)) / 255 : 0)
        }
    }

    /// Returns the first time at which an actuator is driven at a higher level than its budget
    /// allows. The device keeps the heat across a reset, but not across a loss of power. While the
    /// board hangs, it does not update the heat.
    ///
    /// - Parameter resets: for each reset, the time from its cause to the reset itself.
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
            // The heat that can be added before the limit is exceeded. The time until then does not
            // count as excess.
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
