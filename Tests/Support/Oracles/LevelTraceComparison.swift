// LevelTraceComparison: a comparison of the levels that a board wrote to its chip with the levels
// that a reference board wrote.

import VirtualBoard

/// The differences between the levels of a board and the levels of a reference board that played
/// the same stream.
public struct LevelTraceComparison {
    /// Descriptions of the differences; empty if both boards wrote the same levels in the same
    /// order.
    public private(set) var mismatches: [String] = []
    /// The maximum absolute deviation of an onset, an end or a jump, in microseconds.
    public private(set) var worstOnset: BoardTime = 0
    /// The maximum absolute deviation of a step of a ramp, in microseconds.
    public private(set) var worstStep: BoardTime = 0

    /// Compares the levels of both boards up to the end of the stream. All times are in
    /// microseconds since tick 0.
    public init(_ levels: [LevelWrite], reference: PlayedPattern) {
        let wanted = Self.untilSilence(reference.levels)
        let found = Self.untilSilence(levels)
        if wanted.count != found.count {
            mismatches.append("\(found.count) levels instead of \(wanted.count)")
        }
        let onsets = Set(reference.onsets)
        for (write, reference) in zip(found, wanted) {
            if write.value != reference.value {
                mismatches.append(
                    "\(write.value) at \(write.time) instead of \(reference.value) "
                        + "at \(reference.time)")
                break
            }
            let distance = abs(write.time - reference.time)
            if onsets.contains(reference.time) {
                worstOnset = max(worstOnset, distance)
            } else {
                worstStep = max(worstStep, distance)
            }
        }
    }

    /// Returns the levels up to the first zero of the final silence. Leaves out the later zeros,
    /// which the board writes when the chip enters standby.
    private static func untilSilence(_ levels: [LevelWrite]) -> ArraySlice<LevelWrite> {
        guard let last = levels.lastIndex(where: { $0.value != 0 }) else { return [] }
        return levels.prefix(last + 2)
    }
}

extension PlayedPattern {
    /// The times at which an event begins, ends or jumps, in microseconds since tick 0.
    fileprivate var onsets: [BoardTime] {
        expected.obligations.filter { $0.kind != .rampEnd }.map { $0.time - origin }
    }
}
