// CycleTrace: the trace that a simulated board prints, in cycles of its clock.

import BridgeLink
import CBridgeProtocol
import VirtualBoard

/// The number of the simulated microcontroller's cycles since power-up. A reset does not change
/// this number.
public typealias Cycle = Int64

/// The parsed output of a simulator.
public struct CycleTrace: Sendable {
    public struct Transaction: Equatable, Sendable {
        /// The cycle of the register write that requests START.
        public var start: Cycle
        /// The cycle at which STOP is completed.
        public var stop: Cycle
        /// The bytes, in the format of `BusTransaction`.
        public var bytes: [UInt8]
        public var isAcknowledged: Bool
        /// The drive, after the transaction, of the first chip that the transaction has addressed.
        public var drive: Int
        /// The chips that were connected to the bus during the transaction.
        public var chips: [Int] = [0]
    }

    /// A change in a chip's drive or in a pin's state (0 or 1).
    public struct Change: Equatable, Sendable {
        public var cycle: Cycle
        public var value: Int
        public var chip = 0
    }

    public struct Reset: Equatable, Sendable {
        public var cycle: Cycle
        public var cause: ResetCause
    }

    /// A packet that the USB host has sent or lost.
    struct Packet: Equatable, Sendable {
        /// The cycle at which the packet ended.
        var cycle: Cycle
        var count: Int
        /// True if the board acknowledged the packet; otherwise its bytes are lost.
        var hasArrived: Bool
    }

    /// A USB event other than a data packet, identified by its name in the trace.
    public struct BusEvent: Equatable, Sendable {
        public var cycle: Cycle
        public var name: String
    }

    /// A change in the flash memory: the erasure of a sector, or the programming of bytes.
    public struct FlashWrite: Equatable, Sendable {
        public var cycle: Cycle
        public var address: Int
        /// The number of bytes programmed; nil if the sector was erased.
        public var count: Int?
    }

    /// A write to an EEPROM cell.
    public struct CellWrite: Equatable, Sendable {
        public var cycle: Cycle
        public var address: Int
        public var byte: UInt8
    }

    public private(set) var transactions: [Transaction] = []
    /// The transactions that address driver chips, with one entry for each chip and times in whole
    /// microseconds.
    public private(set) var busTransactions: [BusTransaction] = []
    /// The transactions with an accelerometer, which no other list contains.
    public private(set) var sensorTransactions: [Transaction] = []
    public private(set) var drives: [Change] = []
    /// The edges of the EN pins.
    public private(set) var enableEdges: [Change] = []
    /// The resets of the microcontroller, each recorded when the microcontroller leaves reset. This
    /// list is never cleared.
    public private(set) var resets: [Reset] = []
    /// The cycles at which the device's clock started. At each of these cycles, the clock shows
    /// `BRIDGE_CLOCK_AT_BOOT`. This list is never cleared.
    public private(set) var clockStarts: [Cycle] = []
    /// The cycles at which received bytes were lost because the receiver was full.
    public private(set) var overruns: [Cycle] = []
    /// The cycles at which bytes without a stop bit were received.
    public private(set) var framingErrors: [Cycle] = []
    public private(set) var cellWrites: [CellWrite] = []
    public private(set) var flashWrites: [FlashWrite] = []
    /// The addresses of the EEPROM cells or flash bytes that were written, in ascending order.
    public var writtenCells: [Int] {
        let flashed = flashWrites.flatMap { $0.address..<($0.address + ($0.count ?? 0)) }
        return Set(cellWrites.map(\.address) + flashed).sorted()
    }
    public private(set) var busEvents: [BusEvent] = []
    /// The outcomes of requests to the control endpoint.
    public private(set) var requests: [USBRequestOutcome] = []
    private(set) var packets: [Packet] = []
    /// The cycles at which the ROM's boot loader began to wait for an image.
    public private(set) var bootLoaderStarts: [Cycle] = []
    /// The host time at cycle 0, in microseconds, with the cycle from which this host time applies.
    private var wallTimes: [(since: Cycle, atZero: Double)] = []
    /// The bytes that the board has sent, each with the cycle at which its stop bit ended.
    public private(set) var sent: [(cycle: Cycle, byte: UInt8)] = []

    /// The EN pins that are currently high.
    public private(set) var enabled: Set<Int> = []
    /// True if EN of the first chip is currently high.
    public var isEnabled: Bool { enabled.contains(0) }

    private let simulator: BoardSimulator

    public init(of simulator: BoardSimulator) { self.simulator = simulator }

    /// Parses the part of a trace that has been written so far. Skips lines that cannot be parsed,
    /// for example an incomplete last line.
    public init(_ text: String, of simulator: BoardSimulator) {
        self.init(of: simulator)
        for line in text.split(separator: "\n") { _ = parse(line) }
    }

    /// Parses a line. Parses a line. Returns false if the line does not belong to the trace.
    mutating func parse(_ line: Substring) -> Bool {
        let fields = line.split(separator: " ")
        guard fields.count >= 2, let cycle = Cycle(fields[1]) else { return false }
        switch (fields[0], fields.count) {
        case ("tx", 3):
            guard let byte = UInt8(fields[2], radix: 16) else { return false }
            sent.append((cycle, byte))
        case ("i2c", 6), ("i2c", 7): return parseTransaction(fields, start: cycle)
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
        case ("usb", 3...): return parseBusEvent(fields, cycle)
        case ("flash", 4): return parseFlashWrite(fields, cycle)
        case ("bootsel", 2): bootLoaderStarts.append(cycle)
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

    /// The addresses of the accelerometers.
    private static let sensorAddresses: Set<UInt8> = [0x18, 0x19, 0x6A, 0x6B]

    private static let causes: [Substring: ResetCause] = [
        "power": .power, "external": .external, "watchdog": .watchdog,
    ]

    private mutating func parseBusEvent(_ fields: [Substring], _ cycle: Cycle) -> Bool {
        if fields[2] == "request", fields.count == 5 {
            guard let status = USBRequestOutcome.Status(rawValue: String(fields[3])) else {
                return false
            }
            requests.append(
                USBRequestOutcome(status: status, bytes: [UInt8](hexadecimal: fields[4]) ?? []))
            return true
        }
        guard ["out", "lost"].contains(fields[2]) else {
            busEvents.append(BusEvent(cycle: cycle, name: String(fields[2])))
            return true
        }
        guard fields.count == 4, let count = Int(fields[3]) else { return false }
        packets.append(Packet(cycle: cycle, count: count, hasArrived: fields[2] == "out"))
        return true
    }

    private mutating func parseFlashWrite(_ fields: [Substring], _ cycle: Cycle) -> Bool {
        let bytes = [UInt8](hexadecimal: fields[3])
        guard let address = Int(fields[2]), bytes != nil || fields[3] == "erase" else {
            return false
        }
        flashWrites.append(FlashWrite(cycle: cycle, address: address, count: bytes?.count))
        return true
    }

    private mutating func parseTransaction(_ fields: [Substring], start: Cycle) -> Bool {
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
        if Self.sensorAddresses.contains((bytes.first ?? 0) >> 1) {
            sensorTransactions.append(transaction)
            return true
        }
        transactions.append(transaction)
        guard !transaction.isSwitch else { return true }
        busTransactions += zip(chips, drives).map { chip, drive in
            BusTransaction(
                start: simulator.time(of: start), end: simulator.time(of: stop), actuator: chip,
                bytes: bytes,
                isAcknowledged: transaction.isAcknowledged, drive: drive)
        }
        return true
    }

    mutating func drainSent() -> [(cycle: Cycle, byte: UInt8)] {
        defer { sent.removeAll(keepingCapacity: true) }
        return sent
    }

    mutating func drainPackets() -> [Packet] {
        defer { packets.removeAll(keepingCapacity: true) }
        return packets
    }

    mutating func forget() {
        transactions.removeAll(keepingCapacity: true)
        busTransactions.removeAll(keepingCapacity: true)
        sensorTransactions.removeAll(keepingCapacity: true)
        drives.removeAll(keepingCapacity: true)
        enableEdges.removeAll(keepingCapacity: true)
        cellWrites.removeAll()
        flashWrites.removeAll()
        busEvents.removeAll()
        requests.removeAll()
        overruns.removeAll()
        framingErrors.removeAll()
    }

    // MARK: The device's clock

    /// Returns the time that the device's clock shows at a cycle, in whole microseconds, or nil if
    /// the clock has not started by this cycle.
    public func deviceClock(at cycle: Cycle) -> UInt32? {
        guard let start = clockStarts.last(where: { $0 <= cycle }) else { return nil }
        return BRIDGE_CLOCK_AT_BOOT &+ UInt32(truncatingIfNeeded: simulator.time(of: cycle - start))
    }

    /// Returns the cycle at which the device's clock first shows `clock`, within half an hour of
    /// the clock's last start, or nil if the clock has not been started.
    public func cycle(ofDeviceClock clock: UInt32) -> Cycle? {
        guard let start = clockStarts.last else { return nil }
        let elapsed = Int32(bitPattern: clock &- BRIDGE_CLOCK_AT_BOOT)
        return start + simulator.cycles(BoardTime(elapsed))
    }

    /// Returns the time at which the device's clock first shows `clock`, in whole microseconds
    /// since power-up, or nil if the clock has not been started.
    public func time(ofDeviceClock clock: UInt32) -> BoardTime? {
        cycle(ofDeviceClock: clock).map(simulator.time(of:))
    }

    /// The time of the last edge of an EN pin, in whole microseconds since power-up.
    var lastEnableEdge: BoardTime? { enableEdges.last.map { simulator.time(of: $0.cycle) } }

    /// Returns the host time of a cycle, in microseconds, or nil for a board without a terminal.
    public func hostTime(of cycle: Cycle) -> Double? {
        wallTimes.last { $0.since <= cycle }
            .map { $0.atZero + simulator.microseconds(cycle) }
    }

    /// Returns the time that the device's clock shows at a host time, in microseconds, or nil if
    /// this time is unknown.
    public func deviceClock(at host: HostTime) -> Double? {
        let time = Double(host.microseconds)
        guard let start = clockStarts.last,
            let origin = wallTimes.last(where: { hostTime(of: $0.since)! <= time })
        else { return nil }
        let elapsed = time - origin.atZero - simulator.microseconds(start)
        return Double(BRIDGE_CLOCK_AT_BOOT) + elapsed
    }

    var driveChanges: [DriveChange] {
        drives.map {
            DriveChange(time: simulator.time(of: $0.cycle), actuator: $0.chip, drive: $0.value)
        }
    }
}

extension CycleTrace.Transaction {
    /// True if the transaction addresses the TCA9548A multiplexer.
    public var isSwitch: Bool { bytes.first.map { $0 >> 1 == 0x70 } ?? false }

    /// The level that the transaction writes; nil if it writes no level.
    public var level: UInt8? {
        isAcknowledged && bytes.count == 3 && !isSwitch && bytes[1] == 0x02 ? bytes[2] : nil
    }
}

extension [UInt8] {
    /// Parses bytes of two hexadecimal digits each, without spaces. Returns nil for other text.
    init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.map { UInt8(hexDigit: $0) }
        guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map {
            digits[$0]! << 4 | digits[$0 + 1]!
        }
    }

    /// The bytes as two hexadecimal digits each, without spaces.
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
