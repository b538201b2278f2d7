// EnergyBudget: what an actuator stands without end, what beyond it for a while, and when a stream asks
// for more (SPEC 8).

public import AHAP
internal import CBridgeProtocol

/// How long an actuator may be driven above the level that it stands without end.
///
/// Over budget the device holds levels back, never time. The arithmetic is the device's.
public struct EnergyBudget: Sendable, Hashable {
    /// The register value that is allowed for ever, 0...255; 255 sets no limit.
    public var sustained: UInt8
    /// What more it bears: so many milliseconds of full level, if at rest it bore nothing.
    public var milliseconds: UInt16

    /// What is allowed for ever, in percent of full level.
    public var sustainedPercent: Int { (Int(sustained) * 100 + 127) / 255 }

    /// Nobody cares when a pattern of hours is held back.
    private static let horizon: Microseconds = 3_600_000_000

    public init(sustained: UInt8, milliseconds: UInt16) {
        self.sustained = sustained
        self.milliseconds = milliseconds
    }

    /// The budget of an actuator that stands full level for `full`, and `sustained` without end.
    ///
    /// - Parameters:
    ///   - sustained: a share of full level, 0...1.
    ///   - full: microseconds, from cold.
    public init(sustained: Double, full: Microseconds) {
        let value = sustained < 1 ? UInt8(max(0, min(254, (sustained * 255).rounded()))) : 255
        let heat =
            Double(max(0, full)) / Double(BRIDGE_HEAT_STEP_US)
            * Double(Self.heating(255, over: value))
        self.init(
            sustained: value, milliseconds: UInt16(min(heat / 256, 65_535).rounded()))
    }

    /// How long full level is allowed from cold, in microseconds; nil: without end.
    public var fullTime: Microseconds? {
        let heating = Self.heating(255, over: sustained)
        guard sustained < 255, heating > 0 else { return nil }
        return Microseconds(milliseconds) * 256 * Microseconds(BRIDGE_HEAT_STEP_US)
            / Microseconds(heating)
    }

    /// When a stream is held back for the first time, in microseconds from its start; nil: never, or
    /// not in the first hour.
    ///
    /// Full gain, an actuator that is cold, and a curve that changes no level are supposed.
    /// - Parameters:
    ///   - tick: microseconds of a tick.
    ///   - tapLength: how long a tap of a sharpness sounds, in microseconds.
    public func firstExcess(
        in events: [StreamEvent], tick: Microseconds,
        tapLength: @escaping @Sendable (UInt8) -> Microseconds
    ) -> Microseconds? {
        guard sustained < 255, let last = events.last else { return nil }
        var played = PlayedLevel(events) { Int(tapLength($0) / tick) }
        let end = min(Microseconds(last.tick) * tick, Self.horizon)
        let most = Int(milliseconds) * 256
        var heat = 0
        for time in stride(from: 0, to: end, by: Int(BRIDGE_HEAT_STEP_US)) {
            let level = played.level(at: Int(Microseconds(time) / tick))
            heat = max(0, heat + Self.heating(level, over: sustained))
            if heat > most, level > sustained { return Microseconds(time) }
        }
        return nil
    }

    /// What a value adds to the heat in one step.
    private static func heating(_ value: Int, over sustained: UInt8) -> Int {
        value * value / 256 - Int(sustained) * Int(sustained) / 256
    }
}
