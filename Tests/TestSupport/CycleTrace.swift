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

    public struct Transaction: Equatable, Sendable {
        /// The cycle of the write that asks for START.
        public var start: Cycle
        /// The cycle at which STOP is complete.
        public var stop: Cycle
        /// See `BusTransaction`.
        public var bytes: [UInt8]
        public var isAcknowledged: Bool
        public var drive: Int
    }

    /// A change of what the chip drives, or of a pin (0 or 1).
    public struct Change: Equatable, Sendable {
        public var cycle: Cycle
        public var value: Int
    }

    public struct Reset: Equatable, Sendable {
        public var cycle: Cycle
        public var cause: ResetCause
    }

    public private(set) var transactions: [Transaction] = []
    /// The same in whole microseconds.
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
    /// Bytes that the board has sent, by the end of their stop bits.
    public private(set) var sent: [(cycle: Cycle, byte: UInt8)] = []

    /// EN as it is now.
    public private(set) var isEnabled = false

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
        case ("i2c", 6): return takeTransaction(fields, start: cycle)
        case ("drive", 3):
            guard let value = Int(fields[2]) else { return false }
            drives.append(Change(cycle: cycle, value: value))
        case ("pin", 4):
            guard fields[2] == "EN", let value = Int(fields[3]) else { return false }
            isEnabled = value != 0
            enableEdges.append(Change(cycle: cycle, value: value))
        case ("reset", 3):
            guard let cause = Self.causes[fields[2]] else { return false }
            resets.append(Reset(cycle: cycle, cause: cause))
        case ("clock", 2): clockStarts.append(cycle)
        case ("overrun", 2): overruns.append(cycle)
        case ("framing", 2): framingErrors.append(cycle)
        default: return false
        }
        return true
    }

    private static let causes: [Substring: ResetCause] = [
        "power": .power, "external": .external, "watchdog": .watchdog,
    ]

    private mutating func takeTransaction(_ fields: [Substring], start: Cycle) -> Bool {
        guard let stop = Cycle(fields[2]), let bytes = [UInt8](hexadecimal: fields[3]),
            ["ack", "nack", "cut"].contains(fields[4]), let drive = Int(fields[5])
        else { return false }
        let transaction = Transaction(
            start: start, stop: stop, bytes: bytes, isAcknowledged: fields[4] == "ack",
            drive: drive)
        transactions.append(transaction)
        busTransactions.append(
            BusTransaction(
                start: Self.time(of: start), end: Self.time(of: stop), actuator: 0, bytes: bytes,
                isAcknowledged: transaction.isAcknowledged, drive: drive))
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

    /// Whole microseconds since power-up.
    static func time(of cycle: Cycle) -> BoardTime { cycle / cyclesPerMicrosecond }

    var driveChanges: [DriveChange] {
        drives.map { DriveChange(time: Self.time(of: $0.cycle), actuator: 0, drive: $0.value) }
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
