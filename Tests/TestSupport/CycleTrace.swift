// CycleTrace: what the simulated board tells of itself, line by line, in cycles of its clock.

import BridgeLink
import CBridgeProtocol
import VirtualBoard

/// Cycles of the simulated microcontroller since power-up; no reset sets them back.
public typealias Cycle = Int64

/// The output lines of `avr-board`, understood.
public struct CycleTrace: Sendable {
    /// Of the ATmega328P at 16 MHz.
    public static let cyclesPerMicrosecond: Cycle = 16
    /// Of the line at its rate.
    public static let cyclesPerByte = byteCycles(baud: Int(BRIDGE_BAUD))

    public struct Transaction: Equatable, Sendable {
        /// The cycle of the write that asks for START.
        public var start: Cycle
        /// The cycle at which STOP is complete.
        public var stop: Cycle
        /// See `BusTransaction`.
        public var bytes: [UInt8]
        public var isAcknowledged: Bool
        /// What the first chip that it reached drives afterwards.
        public var drive: Int
        /// The chips to which the bus led.
        public var chips: [Int] = [0]
    }

    /// A change of what a chip drives, or of a pin (0 or 1).
    public struct Change: Equatable, Sendable {
        public var cycle: Cycle
        public var value: Int
        public var chip = 0
    }

    public struct Reset: Equatable, Sendable {
        public var cycle: Cycle
        public var cause: ResetCause
    }

    /// A cell of the EEPROM whose writing began.
    public struct CellWrite: Equatable, Sendable {
        public var cycle: Cycle
        public var address: Int
        public var byte: UInt8
    }

    public private(set) var transactions: [Transaction] = []
    /// Those with chips in whole microseconds, one for each chip.
    public private(set) var busTransactions: [BusTransaction] = []
    public private(set) var drives: [Change] = []
    /// Edges of the EN pin.
    public private(set) var enableEdges: [Change] = []
    /// The microcontroller came out of reset. Not forgotten.
    public private(set) var resets: [Reset] = []
    /// The device's clock was started: it shows `BRIDGE_CLOCK_AT_BOOT`. Not forgotten.
    public private(set) var clockStarts: [Cycle] = []
    /// Received bytes that were lost because the receiver was full.
    public private(set) var overruns: [Cycle] = []
    /// Received bytes without a stop bit.
    public private(set) var framingErrors: [Cycle] = []
    public private(set) var cellWrites: [CellWrite] = []
    /// Since when the host's clock has shown which time at cycle 0, in microseconds.
    private var wallTimes: [(since: Cycle, atZero: Double)] = []
    /// Bytes that the board has sent, by the end of their stop bits.
    public private(set) var sent: [(cycle: Cycle, byte: UInt8)] = []

    /// The EN pins that are high now.
    public private(set) var enabled: Set<Int> = []
    /// EN of the first chip as it is now.
    public var isEnabled: Bool { enabled.contains(0) }

    public init() {}

    /// What a trace tells so far; what is not understood, a last line half written for one, is left
    /// out.
    public init(_ text: String) {
        for line in text.split(separator: "\n") { _ = take(line) }
    }

    /// Takes a line; false if it says nothing of the board.
    mutating func take(_ line: Substring) -> Bool {
        let fields = line.split(separator: " ")
        guard fields.count >= 2, let cycle = Cycle(fields[1]) else { return false }
        switch (fields[0], fields.count) {
        case ("tx", 3):
            guard let byte = UInt8(fields[2], radix: 16) else { return false }
            sent.append((cycle, byte))
        case ("i2c", 6), ("i2c", 7): return takeTransaction(fields, start: cycle)
        case ("drive", 3), ("drive", 4):
            let chip = fields.count == 4 ? Int(fields[3]) : 0
            guard let value = Int(fields[2]), let chip else { return false }
            drives.append(Change(cycle: cycle, value: value, chip: chip))
        case ("pin", 4):
            let chip = fields[2] == "EN" ? 0 : Int(fields[2].dropFirst(2))
            guard fields[2].hasPrefix("EN"), let chip, let value = Int(fields[3]) else {
                return false
            }
            if value != 0 { enabled.insert(chip) } else { enabled.remove(chip) }
            enableEdges.append(Change(cycle: cycle, value: value, chip: chip))
        case ("eeprom", 4):
            guard let address = Int(fields[2]), let byte = UInt8(fields[3], radix: 16) else {
                return false
            }
            cellWrites.append(CellWrite(cycle: cycle, address: address, byte: byte))
        case ("reset", 3):
            guard let cause = Self.causes[fields[2]] else { return false }
            resets.append(Reset(cycle: cycle, cause: cause))
        case ("clock", 2): clockStarts.append(cycle)
        case ("overrun", 2): overruns.append(cycle)
        case ("framing", 2): framingErrors.append(cycle)
        case ("wall", 3):
            guard let time = Microseconds(fields[2]) else { return false }
            wallTimes.append((cycle, Double(time) / 1_000))
        case ("dtr", 3): break
        default: return false
        }
        return true
    }

    private static let causes: [Substring: ResetCause] = [
        "power": .power, "external": .external, "watchdog": .watchdog,
    ]

    private mutating func takeTransaction(_ fields: [Substring], start: Cycle) -> Bool {
        let mask = fields.count == 7 ? UInt8(fields[6], radix: 16) : 1
        guard let stop = Cycle(fields[2]), let bytes = [UInt8](hexadecimal: fields[3]),
            ["ack", "nack", "cut"].contains(fields[4]), let mask
        else { return false }
        let chips = (0..<8).filter { mask >> $0 & 1 != 0 }
        let drives = fields[5].split(separator: ",").compactMap { Int($0) }
        guard drives.count == chips.count else { return false }
        let transaction = Transaction(
            start: start, stop: stop, bytes: bytes, isAcknowledged: fields[4] == "ack",
            drive: drives.first ?? 0, chips: chips)
        transactions.append(transaction)
        guard !transaction.isSwitch else { return true }
        busTransactions += zip(chips, drives).map { chip, drive in
            BusTransaction(
                start: Self.time(of: start), end: Self.time(of: stop), actuator: chip, bytes: bytes,
                isAcknowledged: transaction.isAcknowledged, drive: drive)
        }
        return true
    }

    mutating func takeSent() -> [(cycle: Cycle, byte: UInt8)] {
        defer { sent.removeAll(keepingCapacity: true) }
        return sent
    }

    mutating func forget() {
        transactions.removeAll(keepingCapacity: true)
        busTransactions.removeAll(keepingCapacity: true)
        drives.removeAll(keepingCapacity: true)
        enableEdges.removeAll(keepingCapacity: true)
        cellWrites.removeAll()
        overruns.removeAll()
        framingErrors.removeAll()
    }

    // MARK: The device's clock

    /// What the device's clock shows at a cycle, in whole microseconds; nil before it was started.
    public func deviceClock(at cycle: Cycle) -> UInt32? {
        guard let start = clockStarts.last(where: { $0 <= cycle }) else { return nil }
        let elapsed = (cycle - start) / Self.cyclesPerMicrosecond
        return BRIDGE_CLOCK_AT_BOOT &+ UInt32(truncatingIfNeeded: elapsed)
    }

    /// The cycle at which the device's clock came to show `clock`, within half an hour of its newest
    /// start; nil if it was never started.
    public func cycle(ofDeviceClock clock: UInt32) -> Cycle? {
        guard let start = clockStarts.last else { return nil }
        let elapsed = Int32(bitPattern: clock &- BRIDGE_CLOCK_AT_BOOT)
        return start + Cycle(elapsed) * Self.cyclesPerMicrosecond
    }

    /// The host's time of a cycle, in microseconds; nil of a board that has no terminal.
    public func hostTime(of cycle: Cycle) -> Double? {
        wallTimes.last { $0.since <= cycle }
            .map { $0.atZero + Double(cycle) / Double(Self.cyclesPerMicrosecond) }
    }

    /// What the device's clock showed at a time of the host, in microseconds; nil if that is not known.
    public func deviceClock(atHost time: Double) -> Double? {
        guard let start = clockStarts.last,
            let origin = wallTimes.last(where: { hostTime(of: $0.since)! <= time })
        else { return nil }
        let elapsed = time - origin.atZero - Double(start) / Double(Self.cyclesPerMicrosecond)
        return Double(BRIDGE_CLOCK_AT_BOOT) + elapsed
    }

    /// What a byte takes on the line: start bit, eight bits, stop bit.
    static func byteCycles(baud: Int) -> Cycle { 160_000_000 / Cycle(baud) }

    /// Whole microseconds since power-up.
    static func time(of cycle: Cycle) -> BoardTime { cycle / cyclesPerMicrosecond }

    var driveChanges: [DriveChange] {
        drives.map {
            DriveChange(time: Self.time(of: $0.cycle), actuator: $0.chip, drive: $0.value)
        }
    }
}

extension CycleTrace.Transaction {
    /// Whether it is one with the TCA9548A that leads the bus to chips.
    public var isSwitch: Bool { bytes.first.map { $0 >> 1 == 0x70 } ?? false }

    /// The level that it has written, if it has.
    public var level: UInt8? {
        isAcknowledged && bytes.count == 3 && !isSwitch && bytes[1] == 0x02 ? bytes[2] : nil
    }
}

extension [UInt8] {
    /// Two digits a byte, without spaces; nil if it is anything else.
    init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.map { UInt8(hexDigit: $0) }
        guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map {
            digits[$0]! << 4 | digits[$0 + 1]!
        }
    }

    /// Two digits a byte, without spaces.
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension UInt8 {
    fileprivate init?(hexDigit character: UInt8) {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self = character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self = character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self = character - UInt8(ascii: "A") + 10
        default: return nil
        }
    }
}
