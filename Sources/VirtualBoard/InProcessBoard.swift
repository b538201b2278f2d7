// InProcessBoard: an in-process board that consists of the firmware core and models of its chips.
// The board runs the C code of the microcontroller in virtual time.

import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model

/// A board that consists of the firmware core, a serial line, an I2C bus and models of the
/// DRV2605(L).
///
/// The class is not thread-safe: only one thread may use a board at a time.
public final class InProcessBoard: ResettableBoard {
    /// The maximum number of actuators, which is the number of channels of a TCA9548A.
    public static let mostActuators = Int(BRIDGE_ACTUATOR_COUNT)

    /// The firmware version that the core reports: major << 8 | minor.
    public static let firmwareVersion = UInt16(BRIDGE_FIRMWARE_VERSION)

    // Other code uses these public properties. The board itself uses the stored properties from
    // which the public properties are read.
    /// The current board time.
    public var now: BoardTime { time }
    /// The bus transactions since power-up, or since `forgetTrace`.
    public var transactions: [BusTransaction] { carried }
    /// The changes of drive since power-up, or since `forgetTrace`.
    public var driveChanges: [DriveChange] { changes }
    private(set) var time: BoardTime = 0
    var carried: [BusTransaction] = []
    private var changes: [DriveChange] = []
    /// A closure that is called when a transfer reaches a chip, and receives the number of previous
    /// transfers.
    public var onTransfer: ((Int) -> Void)?
    var transferCount = 0
    /// A closure that is called for each change of the drive, at the board time of the change.
    public var onDriveChange: ((DriveChange) -> Void)?

    /// The chips, one for each actuator. Several chips share the bus through a multiplexer, which
    /// selects the chips that a transfer reaches.
    let chips: [UnsafeMutablePointer<drv2605_model>]
    /// The first chip, for injecting faults and reading results.
    public var chip: UnsafeMutablePointer<drv2605_model> { chips[0] }
    /// Returns the chip of an actuator.
    public func chip(of actuator: Int) -> UnsafeMutablePointer<drv2605_model> { chips[actuator] }
    /// The motion of the board, with the model of its accelerometer.
    public let motion: UnsafeMutablePointer<motion_model>
    /// The transactions with the accelerometer since power-up, or since `forgetTrace`.
    public internal(set) var sensorTransactions: [BusTransaction] = []
    /// The number of actuators.
    public var actuatorCount: Int { chips.count }
    /// The context of the core, for tests that inspect it.
    public let core: UnsafeMutablePointer<bridge>
    /// The configurations that the core has stored (SAVE). These configurations are loaded at the
    /// next boot.
    private var stored: [UInt8: [UInt8]]
    /// The locks that the core has stored (LOCK), by actuator number.
    private var storedLocks: [UInt8: lock] = [:]
    /// True if the jumper that erases all locks at the next boot is set (SPEC 8, Lock).
    public var hasJumper = false
    /// True if the pull-up resistors of the bus are too weak for 400 kHz, so no transfer reaches a
    /// chip at this rate.
    public var hasWeakPullUps = false
    /// True if SDA and SCL are swapped, so no transfer reaches a chip. The board reports the
    /// swapped lines from its next boot on.
    public var hasSwappedWires = false
    /// The levels at the EN pins of chips that are not connected to the board, by actuator.
    private var disconnectedEnablePins: [Int: Bool] = [:]
    /// The multiplexer, for injecting faults. `selected` is the mask of the channels that the loop
    /// wrote last, and `checked` is the mask that the loop has read back since then.
    public var multiplexer = tca9548a_model()
    var selected: UInt8 = 0
    var checked: UInt8 = 0
    /// The stored configuration of the first actuator; nil if no configuration has been stored.
    public var storedConfiguration: [UInt8]? { stored[0] }

    private let options: Options
    private let bytePeriod: BoardTime
    private var incoming: [(time: BoardTime, byte: UInt8)] = []
    private var incomingNext = 0
    private var lineFree: BoardTime = 0
    private var sent: [SentByte] = []
    private var senderFree: BoardTime = 0
    var transfer: (transfer: bridge_transfer, start: BoardTime, end: BoardTime)?
    private var bootTime: BoardTime = 0
    /// The time at which the next regular iteration of the loop starts. `roundCount` is the number
    /// of iterations that have been executed.
    private var nextRound: BoardTime = 0
    private var roundCount: BoardTime = 0
    /// The board time of the loop's last clock reading.
    private var readTime: BoardTime = 0
    /// The states of the EN pins; `drives` contains the drives of the chips.
    private var enabled: UInt16 = 0
    private let drives: UnsafeMutablePointer<(drive: Int, frequency: Double)>
    /// True if other code may have changed a chip since the drives were last examined. If false,
    /// the drive of a chip can have changed only at times that the chip itself determines.
    var areTouched = true

    /// Creates a board and boots it at board time 0.
    public init(options: Options = Options()) {
        self.options = options
        stored = options.configurations
        bytePeriod = options.baud > 0 ? 10_000_000 / options.baud : 0
        core = .allocate(capacity: 1)
        precondition((1...Self.mostActuators).contains(options.actuators))
        chips = (0..<options.actuators).map { _ in .allocate(capacity: 1) }
        motion = .allocate(capacity: 1)
        motion_model_init(motion, options.sensor, 0)
        drives = .allocate(capacity: options.actuators)
        drives.initialize(repeating: (0, 0), count: options.actuators)
        for chip in chips { drv2605_model_init(chip, options.chipID, 0) }
        boot(cause: options.resetCause, count: options.bootCount)
    }

    deinit {
        for chip in chips { chip.deallocate() }
        drives.deallocate()
        motion.deallocate()
        core.deallocate()
    }

    /// Returns the value that the core's 32-bit microsecond clock has at a board time after the
    /// last reset.
    public func deviceClock(at time: BoardTime) -> UInt32 {
        UInt32(truncatingIfNeeded: Int64(BRIDGE_CLOCK_AT_BOOT) &+ (time - bootTime))
    }

    /// Returns the board time, near `now`, at which the device clock has the given value.
    public func boardTime(of clock: UInt32) -> BoardTime {
        now + BoardTime(Int32(bitPattern: clock &- self.clock))
    }

    /// Pulls the reset pin.
    public func reset() { reset(cause: BRIDGE_RESET_EXTERNAL) }

    /// Resets the microcontroller, like its watchdog or its reset pin. The core restarts, the chips
    /// remain powered, and bytes that are on the line to the board are lost. The heat of the
    /// actuators is stored in memory that a reset preserves and a loss of power erases.
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
        tca9548a_model_power(&multiplexer, true)
        core.pointee.board.board_id = options.boardID
        core.pointee.board.features |= UInt8(BRIDGE_FEATURE_STORAGE)
        core.pointee.board.firmware = Self.firmwareVersion
        core.pointee.board.boot_count = count
        core.pointee.board.reset_cause = UInt8(cause.rawValue)
        core.pointee.board.kind = UInt8(options.kind.rawValue)
        if hasSwappedWires { bridge_wires_are_swapped(core) }
        if hasJumper { storedLocks = [:] }
        for actuator in actuators {
            if var lock = storedLocks[actuator] { bridge_load_lock(core, actuator, &lock) }
            if let bytes = stored[actuator] ?? options.configuration { load(bytes, actuator) }
        }
    }

    var actuators: Range<UInt8> { 0..<UInt8(chips.count) }

    private func load(_ bytes: [UInt8], _ actuator: UInt8) {
        var configuration = configuration()
        precondition(bytes.count == MemoryLayout.size(ofValue: configuration))
        withUnsafeMutableBytes(of: &configuration) { $0.copyBytes(from: bytes) }
        let isGood = bridge_load(core, actuator, &configuration)
        // A configuration that exceeds a lock is not loaded. The caller that stored the
        // configuration has made no error in this case.
        precondition(
            isGood || storedLocks[actuator] != nil,
            "the stored configuration fails the checks of SPEC 8")
    }

    var clock: UInt32 { deviceClock(at: time) }

    // MARK: The line

    /// Sends bytes to the board at the rate of the serial line, starting at `time` (not before
    /// `now`).
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

    /// Returns the bytes that the board has sent since the last call.
    public func drainSent() -> [SentByte] {
        guard !sent.isEmpty else { return [] }
        defer { sent.removeAll(keepingCapacity: true) }
        return sent
    }

    /// Discards the trace that has been recorded.
    public func forgetTrace() {
        carried.removeAll(keepingCapacity: true)
        changes.removeAll(keepingCapacity: true)
        sensorTransactions.removeAll(keepingCapacity: true)
    }

    // MARK: Time

    /// Runs the board up to a time.
    public func advance(to end: BoardTime) {
        areTouched = true
        while time < end {
            time = min(end, nextInstant())
            step()
        }
    }

    /// True if the bus and the line to the board are idle, and no level is waiting to be written.
    public var isQuiet: Bool {
        transfer == nil && incomingNext == incoming.count && bridge_next_write(core) == nil
    }

    /// Advances the clock of a quiet board in one step, so that hours without activity can be
    /// skipped. The board is not simulated during the step. `bytes` arrive at the end of the step.
    /// Any bytes that the board sends at that time are lost.
    public func leap(to end: BoardTime, receiving bytes: [UInt8]) {
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

    /// Returns the next time at which an event can occur. This time is at most one poll interval
    /// after the current time.
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
        let ahead = Int32(bitPattern: write_start_us(write) &- clock)
        return ahead > 0 ? time + BoardTime(ahead) : nil
    }

    private func step() {
        finishTransfer()
        if options.port.isAttentive || time >= nextRound || hasResult {
            goRound()
        } else if transfer == nil, bridge_take_due(core, clock) {
            begin(core.pointee.transfer)
        }
        recordDrive()
    }

    /// True if the core must process the result of a completed transfer.
    private var hasResult: Bool {
        core.pointee.bus_ended != 0
            || core.pointee.bus_owner & UInt8(BRIDGE_BUS_FAILED.rawValue) != 0
    }

    /// Runs one iteration of the port's main loop.
    private func goRound() {
        let port = options.port
        roundCount += 1
        let lag = port.clockLag > 0 ? roundCount * 7_919 % port.clockLag : 0
        readTime = max(readTime, time - lag)
        let read = deviceClock(at: readTime)
        receiveArrived()
        var polls = 1
        while bridge_poll(core, read), polls < port.pollsMost {
            collectSent()
            polls += 1
        }
        collectSent()
        store()
        let pins = bridge_enabled(core)
        nextRound = time + (pins == enabled ? port.interval : min(100, port.interval))
        setEnable(pins)
        startTransfer(read)
    }

    private func receiveArrived() {
        while incomingNext < incoming.count, incoming[incomingNext].time <= time {
            let arrival = incoming[incomingNext]
            incomingNext += 1
            bridge_receive(core, arrival.byte, deviceClock(at: arrival.time))
        }
    }

    private func collectSent() {
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
            enable(chip, disconnectedEnablePins[index] ?? (pins >> index & 1 != 0))
        }
        enabled = pins
    }

    private func enable(_ chip: UnsafeMutablePointer<drv2605_model>, _ isHigh: Bool) {
        drv2605_model_enable(chip, chip.clock(at: now), isHigh)
    }

    /// Disconnects the EN pin of a chip from the board, so that the pin has the given level. If
    /// `level` is nil, connects the pin again.
    public func disconnectEnablePin(ofActuator actuator: Int, level: Bool?) {
        disconnectedEnablePins[actuator] = level
        enable(chips[actuator], level ?? (enabled >> actuator & 1 != 0))
        areTouched = true
    }

    private func isDue(_ chip: UnsafeMutablePointer<drv2605_model>) -> Bool {
        min(chip.pointee.process_step_at_us, chip.pointee.brown_out_at_us) <= UInt64(time)
    }

    private func recordDrive() {
        defer { areTouched = false }
        for (index, chip) in chips.enumerated() where areTouched || isDue(chip) {
            let drive = chip.drive(at: now)
            let present = (drive: drive, frequency: drive == 0 ? 0 : chip.frequency(at: now))
            guard present != drives[index] else { continue }
            drives[index] = present
            recordMotion(of: index, drive: drive, frequency: present.frequency)
            let change = DriveChange(
                time: now, actuator: index, drive: drive, frequency: present.frequency)
            changes.append(change)
            onDriveChange?(change)
        }
    }
}
