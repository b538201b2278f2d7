// Hours: the hours of silence that a seed may specify, the state of the stream during the silence,
// and the host's action afterwards.

import BridgeLink
import TestSupport

/// A silence in which the host sends only keep-alive messages.
struct Hours: Equatable, Sendable {
    /// The state of the stream during the silence.
    enum Place: CaseIterable, Sendable {
        case noSession, open, beforeStart, longWait, longRamp, dry, ended, reviseWaits
    }

    /// The host's action after the silence.
    enum Deed: CaseIterable, Sendable { case events, revise, start, stop, nothing }

    let place: Place
    let deed: Deed
    /// The length of the silence.
    let length: Microseconds
    /// The time for which the board has been powered before the session begins.
    let before: Microseconds

    private static let second: Microseconds = 1_000_000
    private static let minute = 60 * second
    private static let day = 1_440 * minute

    init(using random: inout SeededGenerator) {
        place = Place.allCases.randomElement(using: &random)!
        deed = Deed.allCases.randomElement(using: &random)!
        before = .random(in: 0...72 * Self.minute, using: &random)
        let jitter = Microseconds.random(in: 0...5 * Self.second, using: &random)
        length = jitter + Self.length(at: place, using: &random)
    }

    /// Returns the length of the silence. A start, a revision or the end of a wait can be at most
    /// minutes in the future (SPEC 5, 7).
    private static func length(
        at place: Place, using random: inout SeededGenerator
    ) -> Microseconds {
        switch place {
        case .beforeStart, .reviseWaits: return .random(in: 1...1_000, using: &random) * second
        case .longWait: return .random(in: 1...500, using: &random) * second
        case .longRamp: return .random(in: 5...60, using: &random) * second
        case .dry where random.chance(oneIn: 4):
            return .random(in: 1...50, using: &random) * second
        default: break
        }
        guard random.chance(oneIn: 4) else {
            return .random(in: 30...80, using: &random) * minute
        }
        return (random.chance(oneIn: 2) ? 25 : 50) * day - 30 * minute
    }

    /// True if the device has closed the stream by the end of the silence (SPEC 6, Underrun).
    var closesStream: Bool { place == .dry && length > 60 * Self.second }
}
