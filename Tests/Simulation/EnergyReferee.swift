// The energy that an actuator receives from a host of whom nothing is known but its limits.

import BridgeLink
import CBridgeProtocol
import DRV2605
import VirtualBoard

/// Integrates the square of the voltage at an actuator (SPEC 8.2), in floating point, from what the
/// chip was told on the bus and what it drove. It knows nothing of what the device counts.
///
/// Over any time, an actuator receives no more than the voltage that it tolerates without end, and
/// once what its budget allows above that: the energy of the steadiest host that uses the budget.
struct EnergyReferee {
    private let actuator: Int
    private let resonance: Double
    /// The squares of the rated voltage and of the one that is tolerated without end.
    private let rated: Double
    private let sustained: Double
    /// The energy that may be received above that of `sustained`, in square volts times seconds.
    private var limit: Double
    private var registers: [UInt8]
    private var voltage = 0.0
    private var time: BoardTime
    private(set) var heat = 0.0
    /// The moment at which the limit was exceeded first, and the energy there.
    private(set) var excess: (time: BoardTime, heat: Double, limit: Double)?

    /// The factor by which the energy may exceed the limit: a device rounds.
    private static let tolerance = 1.03
    /// The time for which full level may continue beyond the limit, in seconds: the device looks at the
    /// heat every step, and reducing a level takes a transfer that is put off by others.
    private static let reaction = 0.0045

    init(
        _ limits: ActuatorConfiguration, actuator: Int, at time: BoardTime, registers: [UInt8]
    ) {
        (self.actuator, self.time) = (actuator, time)
        resonance = Double(limits.resonance) / 10
        // Levels of an open loop are signed, and have seven bits.
        let isOpen = ChipVoltage.isOpenLoop(registers)
        // A register is set to the nearest step (SPEC 8.3).
        let steps = max(1, Double(registers[isOpen ? 0x17 : 0x16]))
        let step = ChipVoltage.ofFullLevel(registers, resonance: resonance) / steps
        let voltage = Double(limits.rated) / 1_000 + step / 2
        rated = voltage * voltage
        let level = isOpen ? limits.sustained / 2 : limits.sustained
        let share = Double(level) / (isOpen ? 127 : 255)
        sustained = rated * share * share
        // A millisecond of a budget is a step of level 256.
        let full = isOpen ? 128.0 / 127 : 256.0 / 255
        let unit = Double(BRIDGE_HEAT_STEP_US) / 1e6 * full * full
        limit = Self.tolerance * rated * (Double(limits.budget) * unit + Self.reaction)
        self.registers = registers
    }

    /// Allows a number of seconds at full level more, because of a fault in which the device cannot know,
    /// or cannot end, what the chip drives.
    mutating func allow(seconds: Double) { limit += rated * seconds * Self.tolerance }

    /// Forgets what was received: the board has lost its power.
    mutating func forget() { heat = 0 }

    /// Takes what has happened since the last call. The board's trace begins there.
    mutating func follow(_ board: any SteppedBoard) {
        var writes = board.transactions.filter { $0.actuator == actuator && $0.isAcknowledged }[...]
        for change in board.driveChanges where change.actuator == actuator {
            advance(to: change.time)
            while let write = writes.first, write.end <= change.time {
                take(write)
                writes.removeFirst()
            }
            let full = ChipVoltage.ofFullLevel(registers, resonance: resonance)
            voltage = full * Double(abs(change.drive)) / 255
        }
        advance(to: board.now)
        for write in writes { take(write) }
    }

    private mutating func take(_ transaction: BusTransaction) {
        if let write = transaction.write, write.register < registers.count {
            registers[Int(write.register)] = write.value
        }
    }

    private mutating func advance(to end: BoardTime) {
        let seconds = Double(end - time) / 1e6
        heat = max(0, heat + (voltage * voltage - sustained) * seconds)
        time = max(time, end)
        if heat > limit, excess == nil { excess = (time, heat, limit) }
    }
}

/// The voltages of a chip by its data sheet (SLOS854D 8.5.2).
enum ChipVoltage {
    /// Returns whether the registers set an open loop of the kind of actuator that they set.
    static func isOpenLoop(_ registers: [UInt8]) -> Bool {
        registers[0x1D] & (registers[0x1A] & 0x80 != 0 ? 0x01 : 0x20) != 0
    }

    /// Returns the voltage of full level, rms for an LRA.
    ///
    /// - Parameters:
    ///   - registers: the values of the registers, by their addresses.
    ///   - resonance: the resonance of the LRA in hertz.
    static func ofFullLevel(_ registers: [UInt8], resonance: Double) -> Double {
        let isLRA = registers[0x1A] & 0x80 != 0
        let (rated, clamp) = (Double(registers[0x16]), Double(registers[0x17]))
        if isOpenLoop(registers) {
            return isLRA
                ? clamp * 21.32e-3 * (1 - 800e-6 * resonance).squareRoot() : clamp * 21.59e-3
        }
        guard isLRA else { return rated * 21.18e-3 }
        let sampleTime = 150e-6 + 50e-6 * Double(registers[0x1C] >> 4 & 3)
        return rated * 20.58e-3 / (1 - (4 * sampleTime + 300e-6) * resonance).squareRoot()
    }
}
