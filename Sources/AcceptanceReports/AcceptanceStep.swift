// AcceptanceStep: the steps of an acceptance test, in their order.

/// A step of an acceptance test. Each step begins with a new session, so that it can be repeated
/// and replayed on its own.
public enum AcceptanceStep: String, CaseIterable, CustomStringConvertible, Sendable {
    /// The board, its firmware and its chips.
    case identity
    /// The connection and the calibration of each actuator.
    case actuator
    /// The supply and the resonance while an actuator is driven.
    case drive
    /// The clock of the board.
    case clock
    /// The round trips of the link.
    case link
    /// The timing of 1,000 taps.
    case events
    /// The levels on the wires of the bus, as recorded by a logic analyzer. The test contains this
    /// step only if there is an analyzer.
    case bus
    /// The end of all motion after a stop and after silence.
    case rest
    /// The answers from a person who feels the actuators.
    case person
    /// The disturbances by a person while the actuators vibrate. The step has no frames.
    case hands

    /// The steps of a test without a logic analyzer.
    package static let usual = allCases.filter { $0 != .bus }

    public var description: String { rawValue }
}
