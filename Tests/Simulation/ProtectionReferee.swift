// ProtectionReferee: checks that the board responds when it reads STATUS and the chip reports an
// over-temperature or an over-current.

import CBridgeFirmware
import CBridgeProtocol
import VirtualBoard

/// A referee that monitors the bus traffic. A read clears the bits in STATUS, so only the bus
/// traffic shows them.
struct ProtectionReferee {
    /// A protection event that a chip has reported, and the board's responses so far.
    private struct Alarm {
        let time: BoardTime
        let faults: UInt16
        /// True if a stream may be playing on the actuator.
        let isOfStream: Bool
        var isLatched = false
        var isClosed: Bool
        /// True if level 0 has been written since the report, so that the actuator is coming to
        /// rest, unless a stream is opened again.
        var isStopped = false
        /// True if the chip has since reported the end of the condition.
        var isOver = false
        /// A level that was written after the deadline for coming to rest; 0 if there is no such
        /// level.
        var late: UInt8 = 0
    }

    /// The last value written to MODE, for each chip.
    private var modes: [UInt8]
    private var alarms: [Alarm?]
    /// The chips whose last register read was STATUS.
    private var hasLooked: Set<Int> = []
    /// The maximum time from the read of STATUS to the board's response. The firmware evaluates the
    /// result and then makes a transfer.
    private let patience: BoardTime

    private enum Register {
        static let status: UInt8 = 0x00
        static let mode: UInt8 = 0x01
        static let level: UInt8 = 0x02
    }
    private enum Bit {
        static let overCurrent: UInt8 = 0x01
        static let overTemperature: UInt8 = 0x02
        static let standby: UInt8 = 0x40
        static let reset: UInt8 = 0x80
    }

    init(actuators: Int, port: InProcessBoard.Port) {
        modes = Array(repeating: Bit.reset, count: actuators)
        alarms = Array(repeating: nil, count: actuators)
        patience =
            3_000 * BoardTime(actuators)
            + (port.isAttentive ? 0 : BoardTime(2 + actuators) * port.interval)
    }

    /// Clears all alarms after a reset of the board, because after a reset the board counts faults
    /// from zero and sets up the chips again.
    mutating func forget() {
        self.alarms = alarms.map { _ in nil }
        modes = modes.map { _ in Bit.reset }
    }

    mutating func record(_ transaction: BusTransaction) {
        guard transaction.isAcknowledged else { return }
        let actuator = transaction.actuator
        if transaction.bytes[1] != Register.status { hasLooked.remove(actuator) }
        switch (transaction.bytes[1], transaction.bytes.count) {
        case (Register.mode, 3): setMode(transaction.bytes[2], of: actuator)
        case (Register.status, 4): readStatus(transaction.bytes[3], of: actuator, transaction.end)
        case (Register.level, 3): write(transaction.bytes[2], to: actuator, transaction.start)
        default: break
        }
    }

    /// Records a new value of MODE. A chip that is set up again or leaves rest for another
    /// calibration was at rest before, so its alarm has ended.
    private mutating func setMode(_ mode: UInt8, of actuator: Int) {
        let isResting = modes[actuator] & Bit.standby != 0
        if mode == Bit.reset || (isResting && (mode == 6 || mode == 7)) { alarms[actuator] = nil }
        modes[actuator] = mode
    }

    /// Records a value read from STATUS. If the chip was at rest, this read begins its wake-up. If
    /// the chip immediately confirms that a reported condition is over, the board must report the
    /// condition and need not do anything else.
    private mutating func readStatus(_ status: UInt8, of actuator: Int, _ time: BoardTime) {
        let isWaking = modes[actuator] & Bit.standby != 0
        let isSecondLook = hasLooked.contains(actuator)
        let isClean = status & (Bit.overTemperature | Bit.overCurrent) == 0
        if isSecondLook, isClean, alarms[actuator] != nil {
            (alarms[actuator]!.isClosed, alarms[actuator]!.isStopped) = (true, true)
            (alarms[actuator]!.isOver, alarms[actuator]!.late) = (true, 0)
        }
        hasLooked.insert(actuator)
        if isSecondLook ? !isClean : isWaking { alarms[actuator] = nil }
        guard modes[actuator] != Bit.reset, alarms[actuator] == nil else { return }
        var faults: UInt16 = 0
        if status & Bit.overTemperature != 0 { faults |= UInt16(BRIDGE_FAULT_OVER_TEMPERATURE) }
        if status & Bit.overCurrent != 0 { faults |= UInt16(BRIDGE_FAULT_OVER_CURRENT) }
        guard faults != 0 else { return }
        let isOfStream = isWaking || modes[actuator] & 7 == 5
        alarms[actuator] = Alarm(
            time: time, faults: faults, isOfStream: isOfStream, isClosed: !isOfStream)
    }

    private mutating func write(_ level: UInt8, to actuator: Int, _ time: BoardTime) {
        guard let alarm = alarms[actuator] else { return }
        if level == 0 { alarms[actuator]!.isStopped = true }
        guard level != 0 else { return }
        if alarm.isStopped, alarm.isClosed, alarm.isLatched {
            alarms[actuator] = nil
            return
        }
        guard time > alarm.time + patience else { return }
        alarms[actuator]!.late = max(alarm.late, level)
    }

    private var isAlarmed: Bool { alarms.contains { $0 != nil } }

    /// Returns the required responses that are missing. Each alarm is reported once.
    mutating func watch(
        _ core: UnsafeMutablePointer<bridge>, drives: [Int], at now: BoardTime
    ) -> [String] {
        var found: [String] = []
        guard isAlarmed else { return found }
        for actuator in alarms.indices where alarms[actuator] != nil {
            check(actuator, core)
            let alarm = alarms[actuator]!
            guard now > alarm.time + patience else { continue }
            let what = complaint(of: alarm, drive: drives[actuator])
            guard let what else { continue }
            found.append("actuator \(actuator) reported \(alarm.faults) at \(alarm.time), \(what)")
            alarms[actuator] = nil
        }
        return found
    }

    private mutating func check(_ actuator: Int, _ core: UnsafeMutablePointer<bridge>) {
        let faults = alarms[actuator]!.faults
        if core.pointee.faults & faults == faults { alarms[actuator]!.isLatched = true }
        let isPlayed = (0..<core.pointee.board.streams).contains {
            let stream = bridge_stream(core, $0).pointee
            return stream.state != BRIDGE_STREAM_CLOSED.rawValue
                && stream.actuators >> actuator & 1 != 0
        }
        if !isPlayed { alarms[actuator]!.isClosed = true }
    }

    private func complaint(of alarm: Alarm, drive: Int) -> String? {
        if !alarm.isLatched { return "and no fault is latched" }
        if !alarm.isClosed { return "and its stream is open" }
        if alarm.late != 0 { return "and level \(alarm.late) was written" }
        return drive != 0 && !alarm.isOver ? "and drives \(drive)" : nil
    }
}
