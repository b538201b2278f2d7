// Operations that only a simulation allows: faults at a chosen cycle, and inspection of the board's
// internal state.

extension LockStepBoard {
    /// Pulls the reset pin at the current cycle.
    public func reset() { command("reset") }

    /// Switches the supply of the whole board, including its chip, on or off.
    public func power(_ isOn: Bool) { command("power \(isOn.word)") }

    public func powerCycle() {
        power(false)
        advance(to: now + 100_000)
        power(true)
    }

    /// Causes the firmware to hang immediately in an endless loop.
    public func hang(interruptsOn: Bool) { command("hang irq-\(interruptsOn.word)") }

    // MARK: The accelerometer

    /// Interrupts or restores the supply of the accelerometer, as a loose wire does.
    public func switchSensor(isOn: Bool) { command("sensor power \(isOn.word)") }

    /// Sets the clock frequency of the accelerometer, in thousandths of its nominal frequency. The
    /// frequency takes effect when the firmware next selects a rate.
    public func setSensorClock(thousandths: Int) { command("sensor clock \(thousandths)") }

    /// Sets the value of the accelerometer's register WHO_AM_I.
    public func setSensorID(_ id: UInt8) { command("sensor id \(id)") }

    // MARK: The chip and its bus

    public func chip(_ number: Int, _ fault: ChipFault) {
        if case .supply(let millivolts, let sag) = fault {
            command("chip \(number) supply \(millivolts)")
            return command("chip \(number) sag \(sag)")
        }
        if case .swappedWires(let areSwapped) = fault {
            return command("bus swapped \(areSwapped.word)")
        }
        if case .weakPullUps(let areWeak) = fault { return command("bus weak \(areWeak.word)") }
        let what =
            switch fault {
            case .supply, .swappedWires, .weakPullUps: preconditionFailure("other commands")
            case .nack(let bytes): "nack \(bytes)"
            case .damage(let bits): "damage \(bits)"
            case .brownOut: "brownout"
            case .power(let isOn): "power \(isOn.word)"
            case .short(let isOn): "short \(isOn.word)"
            case .hot(let isOn): "hot \(isOn.word)"
            case .resonance(let hertz): "resonance \(hertz)"
            case .attached(let kind): "attached \(kind.rawValue)"
            case .enable(let wire): "enable \(wire.rawValue)"
            case .calibration(let outcome): "calibration \(outcome.rawValue)"
            case .diagnostics(let outcome): "diagnostics \(outcome.rawValue)"
            }
        command("chip \(number) \(what)")
    }

    /// Starts or ends a fault that holds SCL low on the channel of an actuator, downstream of the
    /// TCA9548A.
    public func channelIsStuck(_ number: Int, _ isStuck: Bool) {
        command("chip \(number) stuck \(isStuck.word)")
    }

    /// Causes the chip to hold SDA low for a number of SCL pulses. If the number is 0, the chip
    /// holds SDA low until it loses power.
    public func chipHoldsData(untilClocks clocks: Int) { command("chip hold \(clocks)") }

    /// Causes the chip to hold SCL low for a number of cycles after each of its acknowledgements.
    /// The value 0 ends the fault.
    public func chipStretchesClock(_ cycles: Cycle) { command("chip stretch \(cycles)") }

    /// Starts or ends a fault that holds SCL of the bus low.
    public func busIsStuck(_ isStuck: Bool) { command("bus stuck \(isStuck.word)") }

    public func multiplexerIsMisled(bits: UInt8) { command("bus misled \(bits)") }

    /// Causes the bus controller to mistake a disturbance on SDA for a STOP in the current cycle.
    public func busIsDisturbed() { command("bus disturb") }

    // MARK: The line

    /// Sets the rate at which the host sends and receives, in bits per second.
    public func hostRate(_ baud: Int) {
        command("baud \(baud)")
        byteCycles = simulator.byteCycles(baud: baud)
    }

    /// Sets the DTR signal of the host's cable. Asserting DTR resets the board.
    public func dataTerminalReady(_ isOn: Bool) { command("dtr \(isOn.word)") }

    // MARK: Memory

    /// Causes an EEPROM cell to keep its current value in all later writes.
    public func wearOut(cell address: Int) { command("eeprom worn \(address)") }

    /// Causes the flash sector that contains an address to keep its current contents in all later
    /// erasures and writes.
    public func wearOut(sectorAt address: Int) { command("flash worn \(address)") }

    /// Inverts bits of an EEPROM cell or a flash byte without any action of the firmware.
    public func damage(cell address: Int, bits: UInt8) {
        command("\(memory) damage \(address) \(bits)")
    }

    /// Causes one read of an EEPROM or flash byte to return inverted bits, after `count` correct
    /// reads.
    public func misread(after count: Int, bits: UInt8) {
        command("\(memory) misread \(count) \(bits)")
    }

    private var memory: String { simulator.hasEEPROM ? "eeprom" : "flash" }

    // MARK: The jumper

    /// Connects the pin that removes locks to ground, or disconnects it.
    public func jumper(_ isOn: Bool) { command("jumper \(isOn.word)") }

    // MARK: Registers and memory

    /// Writes a byte of memory or an I/O register without any action of the firmware.
    public func poke(_ address: Int, _ byte: UInt8) { command("poke \(address) \(byte)") }

    // MARK: Internal state

    /// Returns `count` bytes of memory, which includes the I/O registers, from a data address on.
    public func peek(_ address: Int, count: Int) -> [UInt8] {
        ask("peek \(address) \(count)", for: "data").last.flatMap { [UInt8](hexadecimal: $0) } ?? []
    }

    /// The maximum size of the stack since the last reset, in bytes.
    public var stackBytes: Int { number(ask("stack", for: "stack").first) }

    /// The number of cycles for which the processor has slept since power-up.
    public var idleCycles: Cycle { Cycle(number(ask("idle", for: "idle").first)) }

    /// The number of cycles for which the board's LED has been lit since power-up.
    public var litCycles: Cycle { Cycle(number(ask("led", for: "led").first)) }

    /// The duration of the longest step of the main loop since the last reset, including
    /// interrupts.
    public var longestStep: Cycle { Cycle(number(ask("step", for: "step").first)) }

    /// The errors that the chip model has counted.
    public var chipFindings: ChipFindings {
        let fields = ask("chip counters", for: "chip")
        func count(_ name: Substring) -> Int {
            number(fields.firstIndex(of: name).map { fields[$0 + 1] })
        }
        return ChipFindings(
            undefinedAccesses: count("undefined"), staleStarts: count("stale"),
            unmodelledModes: count("unmodelled"), stalledTransfers: count("stalled"),
            isProgrammed: count("otp") != 0)
    }

    /// The number of samples that the accelerometer's FIFO has lost, and the number of accesses that
    /// its data sheet does not define.
    public var sensorFindings: (lost: Int, undefinedAccesses: Int) {
        let fields = ask("sensor counters", for: "sensor")
        func count(_ name: Substring) -> Int {
            number(fields.firstIndex(of: name).map { fields[$0 + 1] })
        }
        return (count("lost"), count("undefined"))
    }

    private func number(_ field: Substring?) -> Int { field.flatMap { Int($0) } ?? 0 }

    // MARK: The device's clock

    /// Returns the time that the device's clock shows at a cycle, in whole microseconds, or nil if
    /// the clock has not yet started at this cycle.
    public func deviceClock(at cycle: Cycle) -> UInt32? { trace.deviceClock(at: cycle) }

    /// Returns the cycle at which the device's clock first shows `clock`, or nil if the clock has
    /// not started.
    public func cycle(ofDeviceClock clock: UInt32) -> Cycle? { trace.cycle(ofDeviceClock: clock) }
}

extension Bool {
    var word: String { self ? "on" : "off" }
}
