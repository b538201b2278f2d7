// The firmware core and the chip model as a board in this process: the same C code that runs on
// a microcontroller, stepped in virtual time.

import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model

/// A board made of the firmware core, a line, an I2C bus and a model of the DRV2605(L).
///
/// Not thread safe: step it from one thread at a time.
public final class InProcessBoard: SteppedBoard {
    /// As many as a TCA9548A has channels.
    public static let mostActuators = Int(BRIDGE_ACTUATOR_COUNT)

    /// Firmware version that the core reports: major << 8 | minor.
    public static let firmwareVersion = UInt16(BRIDGE_FIRMWARE_VERSION)

    private enum Bus {
        /// A register write: START, address, register, value, STOP at 400 kHz.
        static let writeTime: BoardTime = 73
        /// A register read: START, address, register, START, address, value, STOP.
        static let readTime: BoardTime = 98
        /// A write of the multiplexer's control register: START, address, register, STOP.
        static let switchTime: BoardTime = 50
        /// Nine bits at 400 kHz, rounded.
        static let byteTime: BoardTime = 23
    }

    // What is public is what others may read; the board itself uses what it keeps.
    public var now: BoardTime { time }
    public var transactions: [BusTransaction] { carried }
    public var driveChanges: [DriveChange] { changes }
    private var time: BoardTime = 0
    private var carried: [BusTransaction] = []
    private var changes: [DriveChange] = []
    /// Called as a transfer reaches a chip, with the number of those before.
    public var onTransfer: ((Int) -> Void)?
    private var transferCount = 0
    /// Called for each change of drive as it happens, in board time.
    public var onDriveChange: ((DriveChange) -> Void)?

    /// The chips, one for each actuator. They share the bus, behind a multiplexer: a transfer reaches
    /// those that it is for.
    private let chips: [UnsafeMutablePointer<drv2605_model>]
    /// The first chip, for injecting faults and reading findings.
    public var chip: UnsafeMutablePointer<drv2605_model> { chips[0] }
    /// That of an actuator.
    public func chip(of actuator: Int) -> UnsafeMutablePointer<drv2605_model> { chips[actuator] }
    /// How many there are.
    public var actuatorCount: Int { chips.count }
    /// The core's context, for tests that look inside.
    public let core: UnsafeMutablePointer<bridge>
    /// The configurations that the core has asked to store (SAVE): what the next boot finds.
    private var stored: [UInt8: [UInt8]]
    /// The locks that it has asked to store (LOCK), by their actuators.
    private var storedLocks: [UInt8: lock] = [:]
    /// Whether the jumper is set that erases all locks at the next boot (SPEC 8, Lock).
    public var hasJumper = false
    /// The channels of the multiplexer that are open, a mask of actuators.
    private var selected: UInt8 = 0
    /// That of the first actuator.
    public var storedConfiguration: [UInt8]? { stored[0] }

    private let options: Options
    private let bytePeriod: BoardTime
    private var incoming: [(time: BoardTime, byte: UInt8)] = []
    private var incomingNext = 0
    private var lineFree: BoardTime = 0
    private var sent: [SentByte] = []
    private var senderFree: BoardTime = 0
    private var transfer: (transfer: bridge_transfer, start: BoardTime, end: BoardTime)?
    private var bootTime: BoardTime = 0
    /// When the loop goes round next by itself, and how often it did.
    private var nextRound: BoardTime = 0
    private var roundCount: BoardTime = 0
    /// What its clock showed last.
    private var readTime: BoardTime = 0
    /// The EN pins, and what the chips drive.
    private var enabled: UInt16 = 0
    private let drives: UnsafeMutablePointer<Int>
    /// Whether something was done to a chip since they were looked at; else only what it does by
    /// itself changes what it drives.
    private var areTouched = true

    public init(options: Options = Options()) {
        self.options = options
        stored = options.configurations
        bytePeriod = options.baud > 0 ? 10_000_000 / options.baud : 0
        core = .allocate(capacity: 1)
        precondition((1...Self.mostActuators).contains(options.actuators))
        chips = (0..<options.actuators).map { _ in .allocate(capacity: 1) }
        drives = .allocate(capacity: options.actuators)
        drives.initialize(repeating: 0, count: options.actuators)
        for chip in chips { drv2605_model_init(chip, options.chipID, 0) }
        boot(cause: options.resetCause, count: options.bootCount)
    }

    deinit {
        for chip in chips { chip.deallocate() }
        drives.deallocate()
        core.deallocate()
    }

    /// The core's 32-bit microsecond clock at a board time since the last reset.
    public func deviceClock(at time: BoardTime) -> UInt32 {
        UInt32(truncatingIfNeeded: Int64(BRIDGE_CLOCK_AT_BOOT) &+ (time - bootTime))
    }

    /// The board time of a device clock reading near `now`.
    public func boardTime(of clock: UInt32) -> BoardTime {
        now + BoardTime(Int32(bitPattern: clock &- self.clock))
    }

    /// Resets the microcontroller, as its watchdog or reset pin would: the core starts anew, the
    /// chip keeps its power, bytes on the line to the board are lost. What the actuators have borne
    /// is in memory that a reset leaves alone; without power it is gone.
    public func reset(cause: bridge_reset_cause) {
        let heats = actuators.map { bridge_heat(core, $0) }
        incoming.removeAll()
        incomingNext = 0
        transfer = nil
        setEnable(0)
        let count = cause == BRIDGE_RESET_POWER ? 0 : core.pointee.board.boot_count
        boot(cause: cause, count: count &+ 1)
        for actuator in actuators where cause != BRIDGE_RESET_POWER {
            bridge_load_heat(core, actuator, heats[Int(actuator)])
        }
    }

    private func boot(cause: bridge_reset_cause, count: UInt16) {
        (bootTime, nextRound, readTime) = (time, time, time)
        core.initialize(to: bridge())
        bridge_init(core)
        core.pointee.board.actuators = UInt8(options.actuators)
        core.pointee.board.streams = UInt8(options.streams ?? options.actuators)
        selected = options.actuators > 1 ? 0 : 1
        core.pointee.board.board_id = options.boardID
        core.pointee.board.features |= UInt8(BRIDGE_FEATURE_STORAGE)
        core.pointee.board.firmware = Self.firmwareVersion
        core.pointee.board.boot_count = count
        core.pointee.board.reset_cause = UInt8(cause.rawValue)
        if hasJumper { storedLocks = [:] }
        for actuator in actuators {
            if var lock = storedLocks[actuator] { bridge_load_lock(core, actuator, &lock) }
            if let bytes = stored[actuator] ?? options.configuration { load(bytes, actuator) }
        }
    }

    private var actuators: Range<UInt8> { 0..<UInt8(chips.count) }

    private func load(_ bytes: [UInt8], _ actuator: UInt8) {
        var configuration = configuration()
        precondition(bytes.count == MemoryLayout.size(ofValue: configuration))
        withUnsafeMutableBytes(of: &configuration) { $0.copyBytes(from: bytes) }
        let isGood = bridge_load(core, actuator, &configuration)
        // One that is beyond a lock is not loaded, and no mistake of whoever stored it.
        precondition(
            isGood || storedLocks[actuator] != nil,
            "the stored configuration fails the checks of SPEC 8")
    }

    private var clock: UInt32 { deviceClock(at: time) }

    // MARK: The line

    public func send(_ bytes: [UInt8], at time: BoardTime) {
        compactIncoming()
        for byte in bytes {
            lineFree = max(lineFree, time, now) + bytePeriod
            incoming.append((lineFree, byte))
        }
    }

    private func compactIncoming() {
        if incomingNext > 4096 || incomingNext == incoming.count {
            incoming.removeFirst(incomingNext)
            incomingNext = 0
        }
    }

    public func takeSent() -> [SentByte] {
        defer { sent.removeAll(keepingCapacity: true) }
        return sent
    }

    public func forgetTrace() {
        carried.removeAll(keepingCapacity: true)
        changes.removeAll(keepingCapacity: true)
    }

    // MARK: Time

    public func advance(to end: BoardTime) {
        areTouched = true
        while time < end {
            time = min(end, nextInstant())
            step()
        }
    }

    /// Whether nothing is on the line to the board or on the bus, and no level is to be written.
    public var isQuiet: Bool {
        transfer == nil && incomingNext == incoming.count && bridge_next_write(core) == nil
    }

    /// Lets the clock of a quiet board jump, for hours in which nothing happens but that `bytes` come,
    /// as the jump ends; what it sends then is lost. What a jump passes over is not looked at.
    public func leap(to end: BoardTime, hearing bytes: [UInt8]) {
        precondition(isQuiet && end >= time)
        time = end
        for byte in bytes { bridge_receive(core, byte, clock) }
        step()
        while let end = transfer?.end {
            time = max(time + 1, end)
            step()
        }
        sent.removeAll(keepingCapacity: true)
    }

    /// The next moment at which anything can happen, at most one poll interval away.
    private func nextInstant() -> BoardTime {
        let isAttentive = options.port.isAttentive
        var next = isAttentive ? time + options.port.interval : nextRound
        if isAttentive, incomingNext < incoming.count {
            next = min(next, incoming[incomingNext].time)
        }
        if let transfer {
            next = min(next, transfer.end)
        } else if let due = nextDue() {
            next = min(next, due)
        }
        return max(next, time + 1)
    }

    private func nextDue() -> BoardTime? {
        guard let write = bridge_next_write(core) else { return nil }
        let ahead = Int32(bitPattern: write.pointee.due_us &- clock)
        return ahead > 0 ? time + BoardTime(ahead) : nil
    }

    private func step() {
        finishTransfer()
        if options.port.isAttentive || time >= nextRound || hasResult {
            goRound()
        } else if transfer == nil, bridge_take_due(core, clock) {
            begin(core.pointee.transfer)
        }
        noteDrive()
    }

    /// Whether something follows from the transfer that has ended.
    private var hasResult: Bool {
        core.pointee.bus_ended != 0 || core.pointee.bus_owner & UInt8(BUS_FAILED.rawValue) != 0
    }

    /// The port's main loop, once.
    private func goRound() {
        let port = options.port
        roundCount += 1
        let lag = port.clockLag > 0 ? roundCount * 7_919 % port.clockLag : 0
        readTime = max(readTime, time - lag)
        let read = deviceClock(at: readTime)
        takeArrived()
        var polls = 1
        while bridge_poll(core, read), polls < port.pollsMost {
            takeBytes()
            polls += 1
        }
        takeBytes()
        store()
        let pins = bridge_enabled(core)
        nextRound = time + (pins == enabled ? port.interval : min(100, port.interval))
        setEnable(pins)
        startTransfer(read)
    }

    private func takeArrived() {
        while incomingNext < incoming.count, incoming[incomingNext].time <= time {
            let arrival = incoming[incomingNext]
            incomingNext += 1
            bridge_receive(core, arrival.byte, deviceClock(at: arrival.time))
        }
    }

    private func takeBytes() {
        var byte: UInt8 = 0
        while bridge_take_byte(core, &byte) {
            senderFree = max(senderFree, now) + bytePeriod
            sent.append(SentByte(time: senderFree, byte: byte))
        }
    }

    private func store() {
        var actuator: UInt8 = 0
        while bridge_take_save(core, &actuator) {
            let configuration = bridge_actuator(core, actuator).pointee.configuration
            stored[actuator] = withUnsafeBytes(of: configuration) { Array($0) }
        }
        while bridge_take_lock(core, &actuator) {
            storedLocks[actuator] = bridge_actuator(core, actuator).pointee.lock
        }
    }

    private func setEnable(_ pins: UInt16) {
        guard pins != enabled else { return }
        areTouched = true
        for (index, chip) in chips.enumerated() where (pins ^ enabled) >> index & 1 != 0 {
            drv2605_model_enable(chip, chipTime(now, of: chip), pins >> index & 1 != 0)
        }
        enabled = pins
    }

    // MARK: The bus

    /// The chip model's clock never runs backwards, even where a pin moved during a transfer.
    private func chipTime(
        _ time: BoardTime, of chip: UnsafeMutablePointer<drv2605_model>
    ) -> UInt64 { max(UInt64(time), chip.pointee.now_us) }

    /// - Parameter read: the clock as the loop has read it.
    private func startTransfer(_ read: UInt32) {
        guard transfer == nil else { return }
        if bridge_take_due(core, clock) || bridge_take_untimed(core, read) {
            begin(core.pointee.transfer)
        } else if bridge_take_switch(core, selected, read) {
            transfer = (core.pointee.transfer, time, time + Bus.switchTime)
            selected = core.pointee.transfer.actuators
        }
    }

    /// The multiplexer is led to other channels first, unless it was ahead of time.
    private func begin(_ next: bridge_transfer) {
        let start = time + (next.actuators == selected ? 0 : Bus.switchTime)
        transfer = (next, start, start + (next.is_read ? Bus.readTime : Bus.writeTime))
        selected = next.actuators
    }

    private func finishTransfer() {
        guard let running = transfer, running.end <= time else { return }
        areTouched = true
        transfer = nil
        guard core.pointee.bus_owner != BUS_SWITCH.rawValue else {
            return bridge_bus_done(core, true, 0)
        }
        // One is on the bus, of which each chip sees as much as it takes.
        let parts = actuators.filter { running.transfer.actuators >> $0 & 1 != 0 }.map {
            put(running.transfer, to: Int($0), start: running.start, end: running.end)
        }
        for part in parts { carried.append(part.0) }
        let isAcknowledged = parts.contains { $0.0.isAcknowledged }
        bridge_bus_done(core, isAcknowledged, parts[0].1)
    }

    /// Puts one register transfer on the bus, byte by byte, with each byte's own time.
    private func put(
        _ transfer: bridge_transfer, to actuator: Int, start: BoardTime, end: BoardTime
    ) -> (BusTransaction, UInt8) {
        onTransfer?(transferCount)
        transferCount += 1
        let chip = chips[actuator]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4)
        var at = start
        let writeAddress = UInt8(MODEL_I2C_ADDRESS << 1)
        func address(_ address: UInt8) -> Bool {
            at += Bus.byteTime
            bytes.append(address)
            return drv2605_model_start(chip, chipTime(at, of: chip), address)
        }
        func write(_ byte: UInt8) -> Bool {
            at += Bus.byteTime
            bytes.append(byte)
            return drv2605_model_write_byte(chip, chipTime(at, of: chip), byte)
        }
        var value: UInt8 = 0
        var isAcknowledged = address(writeAddress) && write(transfer.reg)
        if isAcknowledged && transfer.is_read {
            isAcknowledged = address(writeAddress | 1)
            if isAcknowledged {
                at += Bus.byteTime
                value = drv2605_model_read_byte(chip, chipTime(at, of: chip))
                bytes.append(value)
            }
        } else if isAcknowledged {
            isAcknowledged = write(transfer.value)
        }
        drv2605_model_stop(chip, chipTime(end, of: chip))
        return (
            BusTransaction(
                start: start, end: end, actuator: actuator, bytes: bytes,
                isAcknowledged: isAcknowledged,
                drive: Int(drv2605_model_drive(chip, chipTime(end, of: chip)))), value
        )
    }

    private func isDue(_ chip: UnsafeMutablePointer<drv2605_model>) -> Bool {
        min(chip.pointee.process_step_at_us, chip.pointee.brown_out_at_us) <= UInt64(time)
    }

    private func noteDrive() {
        defer { areTouched = false }
        for (index, chip) in chips.enumerated() where areTouched || isDue(chip) {
            let present = Int(drv2605_model_drive(chip, chipTime(now, of: chip)))
            guard present != drives[index] else { continue }
            drives[index] = present
            let change = DriveChange(time: now, actuator: index, drive: present)
            changes.append(change)
            onDriveChange?(change)
        }
    }
}
