// LevelErrors: the deviation of a compiled pattern from its source.

import HapticCompiler
import HapticPatterns

/// The errors of a compiled pattern relative to its source. The errors are sampled at 1 kHz, except
/// near jumps.
public struct LevelErrors {
    /// The maximum error of the level, in steps of 1/255.
    public private(set) var level = 0.0
    public private(set) var levelAt = 0
    /// The maximum error of the sharpness while the actuator is driven, in steps of 1/255.
    public private(set) var sharpness = 0.0
    public private(set) var sharpnessAt = 0
    /// The first millisecond that should be silent but is not; nil if all silence is correct.
    public private(set) var brokenSilence: Int?

    public init(_ compiled: CompiledPattern, of pattern: HapticPattern) {
        let exact = NaiveEvaluator(pattern)
        let played = PlayedStream(compiled.events)
        for index in 1..<min(exact.instants.count - 1, played.level.count) {
            guard !exact.nearJump[index] else { continue }
            let instant = exact.instants[index]
            let neighbours = [exact.instants[index - 1], exact.instants[index + 1]]
            // Ignores a millisecond next to a change of the strongest layer, because the level may
            // jump between two ticks.
            if neighbours.allSatisfy({ $0.source == instant.source }) {
                record(level: abs(played.level[index].rounded() - instant.level * 255), at: index)
            }
            if instant.level == 0, neighbours.allSatisfy({ $0.level == 0 }) {
                if played.level[index] != 0, brokenSilence == nil { brokenSilence = index }
            } else if instant.level * 255 > 1, instant.level - instant.runnerUp > 0.01,
                neighbours.allSatisfy({ $0.source == instant.source })
            {
                guard let value = played.sharpness[index] else {
                    sharpness = .infinity
                    continue
                }
                record(sharpness: abs(value.rounded() - instant.sharpness * 255), at: index)
            }
        }
    }

    private mutating func record(level error: Double, at index: Int) {
        if error > level { (level, levelAt) = (error, index) }
    }

    private mutating func record(sharpness error: Double, at index: Int) {
        if error > sharpness { (sharpness, sharpnessAt) = (error, index) }
    }
}
