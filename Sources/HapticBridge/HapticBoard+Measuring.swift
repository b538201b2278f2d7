// Calibration and diagnosis: the chip drives the actuator and looks how it moves (SPEC 8). And what a
// board keeps without power.

import BridgeLink

extension HapticBoard {
    /// How long the chip may take, with a margin: the board gives up after 2 s.
    private static let measuringTime: Int64 = 3_000_000

    /// Lets the chip adapt to its actuator, which vibrates for about 1 s, and stores what it found.
    ///
    /// - Parameters:
    ///   - actuator: its number.
    ///   - shallGoOn: asked every few milliseconds; false stops the actuator.
    /// - Returns: the actuator afterwards, whose `calibration` says how it went, and whether the
    ///   board remembers it without power.
    /// - Throws: as all methods; `RequestError.rejected` with `.notAtRest` while a stream is open, and
    ///   `RequestError.playing` from within a `follow`. What plays goes on.
    public func calibrate(_ actuator: UInt8, while shallGoOn: () -> Bool = { true }) throws
        -> (status: ActuatorStatus, isSaved: Bool)
    {
        let status = try measure(.calibrate(actuator: actuator), actuator, shallGoOn)
        guard status.calibration == .passed, welcome.features.contains(.storage) else {
            return (status, false)
        }
        return (status, try save(actuator))
    }

    /// Lets the chip look whether its actuator is there and in order; it moves for a moment.
    ///
    /// - Returns: the actuator afterwards, whose `diagnosis` says what was found.
    public func diagnose(_ actuator: UInt8, while shallGoOn: () -> Bool = { true }) throws
        -> ActuatorStatus
    {
        try measure(.diagnose(actuator: actuator), actuator, shallGoOn)
    }

    /// Stores the configuration that an actuator has, so that it survives the loss of power. Returns
    /// when it does, 0.3 s later at the latest.
    ///
    /// - Returns: whether it does: not if a cell of the board's memory is worn (`Faults.storage`).
    @discardableResult
    public func save(_ actuator: UInt8) throws -> Bool {
        try recovering { try link.save(actuator) }
        return try !status().faults.contains(.storage)
    }

    /// Has the board refuse every configuration of an actuator of another kind, or beyond the
    /// `rated`, `overdrive`, `sustained` and `budget` that it has now, from whatever program and
    /// without power too (SPEC 4.4, LOCK). No message undoes that. Limits that are locked can be
    /// locked again at lower ones.
    ///
    /// - Returns: the actuator afterwards, whose `isLocked` says whether the board has the lock.
    /// - Throws: as all methods; `RequestError.rejected` with `.unknownMessage` by older firmware,
    ///   `.unsupported` by a board without storage, and `.unconfigured`.
    public func lock(_ actuator: UInt8) throws -> ActuatorStatus {
        try recovering {
            try link.lock(actuator)
            return try link.actuator(actuator)
        }
    }

    /// Forgets the faults that are latched, so that those that follow are seen.
    private func clearFaults() throws {
        let status = try status()
        let old = ClearFaults(faults: status.faults, faultTotal: status.faultTotal)
        if !status.faults.isEmpty { try recovering { try link.carryOut(.clearFaults(old)) } }
    }

    private func measure(
        _ command: Command, _ actuator: UInt8, _ shallGoOn: () -> Bool
    ) throws -> ActuatorStatus {
        try clearFaults()
        try recovering { try link.carryOut(command) }
        let deadline = Link.now() + Self.measuringTime
        while true {
            let status = try waitUntilSettled(actuator)
            guard status.state == .calibrating, Link.now() < deadline else { return status }
            if !shallGoOn() { try stop() }
            try recovering { _ = try link.run(until: Link.now() + Self.askInterval) }
        }
    }
}
