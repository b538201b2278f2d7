// EnergyBudget: the level that an actuator tolerates indefinitely, the limited time for which it
// tolerates higher levels, and the time at which a stream exceeds these limits (SPEC 8).

import CBridgeProtocol
import HapticPatterns

/// The limit for driving an actuator above the level that it tolerates indefinitely.
///
/// The device reduces levels while the budget is exceeded, and never changes times. It integrates
/// the square of the level over time; this type samples a stream every `HEAT_STEP_US`.
public struct EnergyBudget: Sendable, Hashable, Codable {
    /// The register value that is allowed indefinitely, 0...255; 255 sets no limit.
    public var sustained: UInt8
    /// The thermal headroom of a cold actuator, expressed as the number of milliseconds of full
    /// level that would use it up if the sustained level were 0.
    public var milliseconds: UInt16

    /// The level that is allowed indefinitely, in percent of full level.
    public var sustainedPercent: Int { (Int(sustained) * 100 + 127) / 255 }

    /// The length of the examined part of a stream, in microseconds: one hour. A limitation after
    /// the first hour is not reported.
    private static let horizon: Microseconds = 3_600_000_000

    /// The heat of one millisecond of the budget, in squares of a register value times
    /// `HEAT_STEP_US`.
    private static let millisecond: Microseconds = 1 << 16

    /// Makes a budget from the sustained register value (0...255; 255 sets no limit) and the
    /// thermal headroom of a cold actuator, in milliseconds of full level.
    public init(sustained: UInt8, milliseconds: UInt16) {
        self.sustained = sustained
        self.milliseconds = milliseconds
    }

    /// Makes the budget of an actuator that tolerates full level for `full` and the level
    /// `sustained` indefinitely.
    ///
    /// - Parameters:
    ///   - sustained: a fraction of full level, 0...1.
    ///   - full: the time for a cold actuator, in microseconds.
    public init(sustained: Double, full: Microseconds) {
        let value = sustained < 1 ? UInt8(max(0, min(254, (sustained * 255).rounded()))) : 255
        let heat =
            Double(max(0, full)) / Double(BRIDGE_HEAT_STEP_US)
            * Double(Self.heating(255, over: value))
        self.init(
            sustained: value,
            milliseconds: UInt16(min(heat / Double(Self.millisecond), 65_535).rounded()))
    }

    /// The time for which a cold actuator may be driven at full level, in microseconds; nil if the
    /// time is not limited.
    public var fullTime: Microseconds? {
        let heating = Self.heating(255, over: sustained)
        guard sustained < 255, heating > 0 else { return nil }
        return Microseconds(milliseconds) * Self.millisecond * Microseconds(BRIDGE_HEAT_STEP_US)
            / Microseconds(heating)
    }

    /// Returns the time at which the device first limits the level of a stream, in microseconds
    /// from the start of the stream; nil if it does not do so in the first hour.
    ///
    /// The calculation assumes full gain, a cold actuator, and a linear actuator curve.
    ///
    /// - Parameters:
    ///   - tick: the length of a tick in microseconds.
    ///   - tapLength: returns the length of a tap of a given sharpness, in microseconds.
    public func firstExcess(
        in events: [StreamEvent], tick: Microseconds,
        tapLength: @escaping @Sendable (UInt8) -> Microseconds
    ) -> Microseconds? {
        var excess: Microseconds?
        walk(events, tick: tick, tapLength: tapLength) { time, level, share in
            guard share > 1, level > sustained else { return true }
            excess = time
            return false
        }
        return excess
    }

    /// Returns the used fraction of the budget over time, 0...1, under the assumptions of
    /// ``firstExcess(in:tick:tapLength:)``; empty if there is no limit.
    ///
    /// - Parameter interval: the time between two values, in microseconds.
    public func use(
        in events: [StreamEvent], tick: Microseconds, every interval: Microseconds,
        tapLength: @escaping @Sendable (UInt8) -> Microseconds
    ) -> [(time: Microseconds, share: Double)] {
        var use: [(time: Microseconds, share: Double)] = []
        walk(events, tick: tick, tapLength: tapLength) { time, _, share in
            if time >= (use.last.map { $0.time + interval } ?? 0) {
                use.append((time, min(share, 1)))
            }
            return true
        }
        return use
    }

    /// Calls `body` for each step of a stream with the level and the used fraction of the budget,
    /// until `body` returns false.
    private func walk(
        _ events: [StreamEvent], tick: Microseconds,
        tapLength: @escaping @Sendable (UInt8) -> Microseconds,
        _ body: (_ time: Microseconds, _ level: Int, _ share: Double) -> Bool
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

    /// Returns the heat that a register value adds in one step; negative below the sustained value.
    private static func heating(_ value: Int, over sustained: UInt8) -> Int {
        value * value - Int(sustained) * Int(sustained)
    }
}
