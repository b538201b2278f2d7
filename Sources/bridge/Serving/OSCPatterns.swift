// OSCPatterns: creates the patterns that OSC messages play.

import AHAP
import HapticBridge
import HapticPatterns
import JSONText
import PatternFormats
import ToolSupport

enum OSCPatterns {
    static func tap(intensity: Double, sharpness: Double) throws -> CHHapticPattern {
        let event = CHHapticEvent(
            eventType: .hapticTransient,
            parameters: [
                CHHapticEventParameter(parameterID: .hapticIntensity, value: Float(intensity)),
                CHHapticEventParameter(parameterID: .hapticSharpness, value: Float(sharpness)),
            ], relativeTime: 0)
        return try CHHapticPattern(events: [event], parameters: [])
    }

    /// Returns the pattern with a name; nil if there is none.
    static func named(_ name: String) throws -> CHHapticPattern? {
        guard let pattern = NamedPattern(name) else { return nil }
        return CHHapticPattern(try AHAPReader.read(pattern.file))
    }

    /// Returns the pattern of a haptic clip whose envelopes are given as JSON.
    static func clip(envelopes: String) throws -> CHHapticPattern {
        let head = #"{"version":{"major":1},"signals":{"continuous":{"envelopes":"#
        let clip = try PatternFormats.read(Array((head + envelopes + "}}}").utf8))
        return CHHapticPattern(try AHAPReader.read(AHAPDocument(of: clip.pattern)))
    }
}
