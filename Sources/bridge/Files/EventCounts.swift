// EventCounts: counts the events of a pattern by kind.

import BridgeLink
import HapticBridge
import HapticCompiler
import JSONText
import ToolSupport

/// The number of events of each kind in a stream.
struct EventCounts {
    private(set) var taps = 0
    private(set) var levels = 0
    private(set) var ramps = 0
    /// The number of audible sounds.
    let sounds: Int

    init(_ pattern: PatternFile, sounds: Int = 0) {
        self.sounds = sounds
        for event in pattern.events {
            switch event.content {
            case .tap: taps += 1
            case .level, .levelSharpness: levels += 1
            case .levelRamp, .sharpnessRamp, .tapGain: ramps += 1
            case .end: break
            }
        }
    }

    /// The counts, as text, for example "3 taps, 2 levels, 1 sound".
    var text: String {
        let counts = [(taps, "tap"), (levels, "level"), (ramps, "ramp"), (sounds, "sound")]
        let words = counts.filter { $0.0 > 0 }.map { $0.0.text($0.1) }
        return words.isEmpty ? "no events" : words.joined(separator: ", ")
    }

    var json: JSONValue {
        [
            "taps": .number(taps), "levels": .number(levels), "ramps": .number(ramps),
            "sounds": .number(sounds),
        ]
    }
}
