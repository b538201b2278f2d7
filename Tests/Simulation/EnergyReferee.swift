// EnergyReferee: checks the energy that an actuator receives from an arbitrary host. The referee
// uses only the limits that apply to the host.

import BridgeLink
import CBridgeProtocol
import DRV2605
import VirtualBoard

/// Integrates the square of the voltage at an actuator (SPEC 8.2) in floating point, from the
/// values that are written to the chip and from the chip's drive. The referee does not use the
/// device's own counters.
///
/// In any period, an actuator may receive at most the energy that results from the continuously
/// tolerated voltage, plus the whole budget once.
struct EnergyReferee {
    private let actuator: Int
    private let resonance: Double
    /// The squares of the rated voltage and of the continuously tolerated voltage.
    private let rated: Double
    private let sustained: Double
    /// The energy that may be received in addition to `sustained`, in square volts times seconds.
    private var limit: Double
    private var registers: [UInt8]
    private var voltage = 0.0
    private var time: BoardTime
    private(set) var heat = 0.0
    /// The time at which the limit was first exceeded, with the energy and the limit at that time.
    private(set) var excess: (time: BoardTime, heat: Double, limit: Double)?

    /// The permitted ratio between the energy and the limit. The ratio is greater than 1, because
    /// the device rounds register values.
    private static let tolerance = 1.03
    /// The time for which full level may continue beyond the limit, in seconds. The device checks
    /// the heat in every step, and other transfers delay the transfer that reduces the level.
    private static let reaction = 0.0045

    init(
        _ limits: ActuatorConfiguration, actuator: Int, at time: BoardTime, registers: [UInt8]
    ) {
        (self.actuator, self.time) = (actuator, time)
        resonance = Double(limits.resonance) / 10
        // The levels of an open loop are signed and have seven bits.
        let isOpen = ChipVoltage.isOpenLoop(registers)
        // The register values are rounded to the nearest step (SPEC 8.3).
        let steps = max(1, Double(registers[isOpen ? 0x17 : 0x16]))
        let step = ChipVoltage.ofFullLevel(registers, resonance: resonance) / steps
        let voltage = Double(limits.rated) / 1_000 + step / 2
        rated = voltage * voltage
        let level = isOpen ? limits.sustained / 2 : limits.sustained
        let share = Double(level) / (isOpen ? 127 : 255)
        sustained = rated * share * share
        // The unit of a budget is the heat of a millisecond at level 256.
        let full = isOpen ? 128.0 / 127 : 256.0 / 255
        let unit = Double(BRIDGE_HEAT_STEP_US) / 1e6 * full * full
        limit = Self.tolerance * rated * (Double(limits.budget) * unit + Self.reaction)
        self.registers = registers
    }

    /// Allows additional seconds at full level, because a fault prevents the device from detecting
    /// or ending the chip's drive.
    mutating func allow(seconds: Double) { limit += rated * seconds * Self.tolerance }

    /// Resets the energy after the board has lost its power.
    mutating func forget() { heat = 0 }

    /// Processes the board's trace since the last call.
    mutating func follow(_ board: any SteppedBoard) {
        var writes = board.transactions.filter { $0.actuator == actuator && $0.isAcknowledged }[...]
        for change in board.driveChanges where change.actuator == actuator {
            advance(to: change.time)
            while let write = writes.first, write.end <= change.time {
                apply(write)
                writes.removeFirst()
            }
            let full = ChipVoltage.ofFullLevel(registers, resonance: resonance)
            voltage = full * Double(abs(change.drive)) / 255
        }
        advance(to: board.now)
        for write in writes { apply(write) }
    }

    private mutating func apply(_ transaction: BusTransaction) {
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

/// The voltages of a chip according to its data sheet (SLOS854D 8.5.2).
enum ChipVoltage {
    /// Returns true if the registers select open-loop operation for their type of actuator.
    static func isOpenLoop(_ registers: [UInt8]) -> Bool {
        registers[0x1D] & (registers[0x1A] & 0x80 != 0 ? 0x01 : 0x20) != 0
    }

    /// Returns the voltage at full level, which is the RMS voltage for an LRA.
    ///
    /// - Parameters:
    ///   - registers: the values of the registers, indexed by address.
    ///   - resonance: the resonant frequency of the LRA in hertz.
    static func ofFullLevel(_ registers: [UInt8], resonance: Double) -> Double {
        let isLRA = registers[0x1A] & 0x80 != 0
        let (rated, clamp) = (Double(registers[0x16]), Double(registers[0x17]))
        if isOpenLoop(registers) {
            guard isLRA else { return clamp * 21.59e-3 }
            // The voltage increases as the frequency decreases, and the period may be rounded.
            let period = Double(max(registers[0x20] & 0x7F, 1)) * 98.46e-6
            let frequency = 1 / period > resonance * 0.99 ? resonance : 1 / period
            return clamp * 21.32e-3 * (1 - 800e-6 * frequency).squareRoot()
        }
        guard isLRA else { return rated * 21.18e-3 }
        let sampleTime = 150e-6 + 50e-6 * Double(registers[0x1C] >> 4 & 3)
        return rated * 20.58e-3 / (1 - (4 * sampleTime + 300e-6) * resonance).squareRoot()
    }
}
