// The tests' access to what only a simulation allows: faults at a chosen cycle, and a look inside.

extension LockStepBoard {
    /// Pulls the reset pin now.
    public func reset() { command("reset") }

    /// Switches the supply of the whole board, its chip included.
    public func power(_ isOn: Bool) { command("power \(isOn.word)") }

    public func powerCycle() {
        power(false)
        advance(to: now + 100_000)
        power(true)
    }

    /// Makes the program hang at once, in an endless loop in place of its main loop.
    public func hang(interruptsOn: Bool) { command("hang irq-\(interruptsOn.word)") }

    // MARK: The chip and its bus

    public func chip(_ number: Int, _ fault: ChipFault) {
        let what =
            switch fault {
            case .nack(let bytes): "nack \(bytes)"
            case .damage(let bits): "damage \(bits)"
            case .brownOut: "brownout"
            case .power(let isOn): "power \(isOn.word)"
            case .short(let isOn): "short \(isOn.word)"
            case .hot(let isOn): "hot \(isOn.word)"
            case .calibration(let outcome): "calibration \(outcome.rawValue)"
            case .diagnostics(let outcome): "diagnostics \(outcome.rawValue)"
            }
        command("chip \(number) \(what)")
    }

    /// Makes a fault hold SCL of an actuator's channel low, behind the TCA9548A, or ends it.
    public func channelIsStuck(_ number: Int, _ isStuck: Bool) {
        command("chip \(number) stuck \(isStuck.word)")
    }

    /// Makes the chip hold SDA low for a number of pulses of SCL; with 0, until it loses power.
    public func chipHoldsData(untilClocks clocks: Int) { command("chip hold \(clocks)") }

    /// Makes the chip hold SCL low for a number of cycles after each of its acknowledgements; 0
    /// ends this.
    public func chipStretchesClock(_ cycles: Cycle) { command("chip stretch \(cycles)") }

    /// Makes a fault on the wire hold SCL low, or ends it.
    public func busIsStuck(_ isStuck: Bool) { command("bus stuck \(isStuck.word)") }

    public func pullUps(areWeak: Bool) { command("bus weak \(areWeak.word)") }

    public func multiplexerIsMisled(bits: UInt8) { command("bus misled \(bits)") }

    /// Makes the controller take a disturbance on SDA for a STOP, now.
    public func busIsDisturbed() { command("bus disturb") }

    // MARK: The line

    /// Sets the rate at which the host sends and receives, in bits per second.
    public func hostRate(_ baud: Int) {
        command("baud \(baud)")
        byteCycles = simulator.byteCycles(baud: baud)
    }

    /// Switches the DTR line of the host's cable, which pulls reset when it is asserted.
    public func dataTerminalReady(_ isOn: Bool) { command("dtr \(isOn.word)") }

    // MARK: Memory

    /// Makes a cell of the EEPROM keep its value from now on, whatever is written.
    public func wearOut(cell address: Int) { command("eeprom worn \(address)") }

    /// Makes the sector of the flash with an address keep its contents from now on, whatever is done
    /// to it.
    public func wearOut(sectorAt address: Int) { command("flash worn \(address)") }

    /// Changes bits of a cell of the EEPROM, or of a byte of the flash, behind the firmware's back.
    public func damage(cell address: Int, bits: UInt8) {
        command("\(memory) damage \(address) \(bits)")
    }

    /// Has one reading of a byte of the EEPROM or the flash show bits wrongly, after `count` others.
    public func misread(after count: Int, bits: UInt8) {
        command("\(memory) misread \(count) \(bits)")
    }

    private var memory: String { simulator.hasEEPROM ? "eeprom" : "flash" }

    // MARK: The jumper

    /// Connects the pin that undoes locks to ground, or disconnects it.
    public func jumper(_ isOn: Bool) { command("jumper \(isOn.word)") }

    // MARK: Upsets

    /// Writes a byte of memory, I/O registers included, behind the firmware's back.
    public func poke(_ address: Int, _ byte: UInt8) { command("poke \(address) \(byte)") }

    // MARK: A look inside

    /// Returns bytes of memory, I/O registers included, from a data address on.
    public func peek(_ address: Int, count: Int) -> [UInt8] {
        ask("peek \(address) \(count)", for: "data").last.flatMap { [UInt8](hexadecimal: $0) } ?? []
    }

    /// The greatest size of the stack since the last reset, in bytes.
    public var stackBytes: Int { number(ask("stack", for: "stack").first) }

    /// The cycles for which the processor has slept since power-up.
    public var idleCycles: Cycle { Cycle(number(ask("idle", for: "idle").first)) }

    /// The cycles for which the board's own LED has been lit since power-up.
    public var litCycles: Cycle { Cycle(number(ask("led", for: "led").first)) }

    /// The longest step of the main loop's work since the last reset, interrupts included.
    public var longestStep: Cycle { Cycle(number(ask("step", for: "step").first)) }

    /// The findings that the chip model has counted.
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

    private func number(_ field: Substring?) -> Int { field.flatMap { Int($0) } ?? 0 }

    // MARK: The device's clock

    /// Returns the time that the device's clock shows at a cycle, in whole microseconds; nil before
    /// it was started.
    public func deviceClock(at cycle: Cycle) -> UInt32? { trace.deviceClock(at: cycle) }

    /// Returns the cycle at which the device's clock first showed `clock`; nil before it was
    /// started.
    public func cycle(ofDeviceClock clock: UInt32) -> Cycle? { trace.cycle(ofDeviceClock: clock) }
}

extension Bool {
    var word: String { self ? "on" : "off" }
}
