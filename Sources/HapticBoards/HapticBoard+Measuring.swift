// Calibration and diagnosis, in which the chip drives the actuator and measures its motion (SPEC
// 8), and the settings that a board stores permanently.

import BridgeLink
import SerialPorts

extension HapticBoard {
    /// The maximum time that the chip may take, in microseconds, with a margin: the board reports a
    /// timeout after 2 s.
    private static let measuringTime: Microseconds = 3_000_000

    /// Calibrates the chip for its actuator. If the calibration passes and the board has storage,
    /// stores the results. The actuator vibrates for about 1 s.
    ///
    /// - Parameters:
    ///   - actuator: the number of the actuator.
    ///   - shallGoOn: a closure that is called every few milliseconds. When the closure returns
    ///     false, the actuator is stopped, and nothing is stored.
    /// - Returns: the status of the actuator after the calibration, with the outcome in
    ///   `calibration`, and whether the board has stored the results permanently.
    /// - Throws: the errors that all methods throw; `RequestError.rejected` with `.notAtRest` while
    ///   a stream is open; `RequestError.playing` if called from a `follow` closure. A playback
    ///   that is in progress continues.
    public func calibrate(_ actuator: UInt8, while shallGoOn: () -> Bool = { true }) throws
        -> (status: ActuatorStatus, isSaved: Bool)
    {
        let status = try measure(.calibrate(actuator: actuator), actuator, shallGoOn)
        guard status.calibration == .passed, welcome.features.contains(.storage), shallGoOn()
        else { return (status, false) }
        return (status, try save(actuator))
    }

    /// Makes the chip check whether its actuator is connected and works. The actuator moves
    /// briefly.
    ///
    /// - Returns: the status of the actuator after the diagnosis, with the result in `diagnosis`.
    public func diagnose(_ actuator: UInt8, while shallGoOn: () -> Bool = { true }) throws
        -> ActuatorStatus
    {
        try measure(.diagnose(actuator: actuator), actuator, shallGoOn)
    }

    /// Stores the current configuration of an actuator, so that the configuration survives a loss
    /// of power. Returns when the configuration is stored, after at most 0.3 s.
    ///
    /// - Returns: true if the configuration is stored; false if a cell of the board's memory is
    ///   worn out (`Faults.storage`).
    @discardableResult
    public func save(_ actuator: UInt8) throws -> Bool {
        try recovering { try link.save(actuator) }
        return try !status().faults.contains(.storage)
    }

    /// Locks the current limits of an actuator. The board then rejects every configuration of the
    /// actuator with another kind, loop or resonance, or with higher values of `rated`,
    /// `overdrive`, `sustained` or `budget`. The lock applies to every program and survives a loss
    /// of power (SPEC 8.6). No message removes the lock. Locked limits can be locked again at lower
    /// values.
    ///
    /// - Returns: the status of the actuator after the command; `isLocked` is true if the board has
    ///   stored the lock.
    /// - Throws: the errors that all methods throw; `RequestError.rejected` with `.unknownMessage`
    ///   if the firmware is too old to support LOCK, with `.unsupported` if the board has no
    ///   storage, and with `.unconfigured` if the actuator has no configuration.
    public func lock(_ actuator: UInt8) throws -> ActuatorStatus {
        try recovering {
            try link.lock(actuator)
            return try link.actuator(actuator)
        }
    }

    /// Clears the latched faults, so that later faults are detected.
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
