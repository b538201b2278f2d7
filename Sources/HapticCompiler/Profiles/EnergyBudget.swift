// EnergyBudget: the level that an actuator tolerates indefinitely, the time for which it tolerates
// higher levels, and the time at which a stream exceeds these limits (SPEC 8).

import CBridgeProtocol
import HapticPatterns

/// The limit for driving an actuator above the level that it tolerates indefinitely.
///
/// While the budget is exceeded, the device reduces levels, but it never changes times. The device
/// integrates the square of the level over time; this type samples the stream every `HEAT_STEP_US`.
public struct EnergyBudget: Sendable, Hashable, Codable {
    /// The register value that is allowed indefinitely, 0...255; 255 means that there is no limit.
    public var sustained: UInt8
    /// The heat that a cold actuator can absorb, expressed as the number of milliseconds at full
    /// level that would use up the budget if the sustained level were 0.
    public var milliseconds: UInt16

    /// The level that is allowed indefinitely, as a percentage of full level.
    public var sustainedPercent: Int { (Int(sustained) * 100 + 127) / 255 }

    /// The length of the part of a stream that is examined, in microseconds: one hour. A limit that
    /// the device applies only after the first hour is not reported.
    private static let horizon: Microseconds = 3_600_000_000

    /// The heat that corresponds to one millisecond of the budget, in squares of a register value
    /// times `HEAT_STEP_US`.
    private static let millisecond: Microseconds = 1 << 16

    /// Creates a budget from the sustained register value (0...255; 255 means that there is no
    /// limit) and from the heat that a cold actuator can absorb, in milliseconds at full level.
    public init(sustained: UInt8, milliseconds: UInt16) {
        self.sustained = sustained
        self.milliseconds = milliseconds
    }

    /// Creates the budget of an actuator that tolerates full level for the time `full`, and the
    /// level `sustained` indefinitely.
    ///
    /// - Parameters:
    ///   - sustained: the sustained level, as a fraction of full level, 0...1.
    ///   - full: the time for which a cold actuator tolerates full level, in microseconds.
    public init(sustained: Double, full: Microseconds) {
        let value = sustained < 1 ? UInt8(max(0, min(254, (sustained * 255).rounded()))) : 255
        let heat =
            Double(max(0, full)) / Double(BRIDGE_HEAT_STEP_US)
            * Double(Self.heating(255, over: value))
        self.init(
            sustained: value,
            milliseconds: UInt16(min(heat / Double(Self.millisecond), 65_535).rounded()))
    }

    /// The time for which a cold actuator may be driven at full level, in microseconds; nil if this
    /// time is unlimited.
    public var fullTime: Microseconds? {
        let heating = Self.heating(255, over: sustained)
        guard sustained < 255, heating > 0 else { return nil }
        return Microseconds(milliseconds) * Self.millisecond * Microseconds(BRIDGE_HEAT_STEP_US)
            / Microseconds(heating)
    }

    /// True if there is no limit.
    public var isUnlimited: Bool { sustained == 255 }

    /// The time that an actuator at rest takes to cool completely after the whole budget was used
    /// up, in microseconds; 0 if there is no limit, and nil if the actuator never cools.
    public var coolingTime: Microseconds? {
        guard !isUnlimited else { return 0 }
        // A level register of seven bits rounds the sustained value down.
        let cooling = -Self.heating(0, over: sustained & ~1)
        guard cooling > 0 else { return nil }
        return Microseconds(milliseconds) * Self.millisecond * Microseconds(BRIDGE_HEAT_STEP_US)
            / Microseconds(cooling)
    }

    /// Returns the first time at which the device limits the level of a stream, in microseconds
    /// from the start of the stream; nil if the device does not limit the level in the first hour.
    ///
    /// The calculation assumes full gain, a cold actuator and a linear actuator curve.
    ///
    /// - Parameters:
    ///   - tick: the length of a tick in microseconds.
    ///   - tapLength: a closure that returns the length of a tap with the given sharpness, in
    ///     microseconds.
    public func firstExcess(
        in events: [StreamEvent], tick: Microseconds,
        tapLength: @escaping @Sendable (UInt8) -> Microseconds
    ) -> Microseconds? {
        var excess: Microseconds?
        walk(events, tick: tick, tapLength: tapLength) { time, level, fraction in
            guard fraction > 1, level > sustained else { return true }
            excess = time
            return false
        }
        return excess
    }

    /// Returns the fraction of the budget that is used up, 0...1, over time. The assumptions are
    /// the same as for ``firstExcess(in:tick:tapLength:)``. The result is empty if there is no
    /// limit.
    ///
    /// - Parameter interval: the time between two values, in microseconds.
    public func use(
        in events: [StreamEvent], tick: Microseconds, every interval: Microseconds,
        tapLength: @escaping @Sendable (UInt8) -> Microseconds
    ) -> [(time: Microseconds, fraction: Double)] {
        var use: [(time: Microseconds, fraction: Double)] = []
        walk(events, tick: tick, tapLength: tapLength) { time, _, fraction in
            if time >= (use.last.map { $0.time + interval } ?? 0) {
                use.append((time, min(fraction, 1)))
            }
            return true
        }
        return use
    }

    /// Calls `body` for each step of a stream, with the level and the fraction of the budget that
    /// is used up, until `body` returns false.
    private func walk(
        _ events: [StreamEvent], tick: Microseconds,
        tapLength: @escaping @Sendable (UInt8) -> Microseconds,
        _ body: (_ time: Microseconds, _ level: Int, _ fraction: Double) -> Bool
    ) {
        guard sustained < 255, let last = events.last else { return }
        var played = PlayedLevel(events) { Int(tapLength($0) / tick) }
        let end = min(Microseconds(last.tick) * tick, Self.horizon)
        let most = max(1, Int(milliseconds) * Int(Self.millisecond))
        var heat = 0
        for time in stride(from: 0, to: end, by: Int(BRIDGE_HEAT_STEP_US)) {
            let level = played.level(at: Int(Microseconds(time) / tick))
            heat = max(0, heat + Self.heating(level, over: sustained))
            guard body(Microseconds(time), level, Double(heat) / Double(most)) else { return }
        }
    }

    /// Returns the heat that a register value adds in one step; a negative number if the register
    /// value is below the sustained value.
    private static func heating(_ value: Int, over sustained: UInt8) -> Int {
        value * value - Int(sustained) * Int(sustained)
    }
}
