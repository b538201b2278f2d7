// AcceptanceStep: the steps of an acceptance test, in their order.

import ArgumentParser

/// A step of an acceptance test. Each step begins with a new session, so that it can be repeated
/// and replayed by itself.
enum AcceptanceStep: String, Codable, CaseIterable, ExpressibleByArgument, CustomStringConvertible {
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
    /// The time of each of 1,000 taps.
    case events
    /// The levels on the wires of the bus, which a logic analyzer records. The test contains this step
    /// only if there is one.
    case bus
    /// The end of all motion after a stop and after silence.
    case rest
    /// The answers and the hands of a person.
    case person

    /// The steps of a test without a logic analyzer.
    static let usual = allCases.filter { $0 != .bus }

    var description: String { rawValue }

    /// The action of the step, for progress.
    var action: String {
        switch self {
        case .identity: "identifying the board and its chips"
        case .actuator: "diagnosing and calibrating the actuators"
        case .drive: "measuring supply and resonance while the actuators are driven"
        case .clock: "comparing the clocks for a minute"
        case .link: "measuring 1,000 round trips"
        case .events: "playing 1,000 taps"
        case .bus: "playing levels, taps and a ramp for the logic analyzer"
        case .rest: "stopping, and falling silent"
        case .person: "asking whether patterns are felt"
        }
    }
}
