// SamplePattern: patterns for testing an actuator, and as starting points for custom patterns.

import EmbeddedFiles

/// A sample pattern. The raw value is the name of the pattern on the command line and the name of
/// its file.
///
/// The samples demonstrate the features of AHAP: series of taps, levels with curves, envelopes, and
/// layers. Unlike the named feedback of the library, the samples have no meaning.
package enum SamplePattern: String, CaseIterable, Sendable {
    /// A light click, followed by a bolt that closes.
    case latch
    /// Two heartbeats.
    case heartbeat
    /// A ball that bounces until it comes to rest.
    case ball
    /// Rain that becomes heavier and then fades.
    case rain
    /// A cat that purrs while it breathes.
    case purr
    /// A spring whose vibration decays.
    case spring
    /// A starter motor, followed by the running engine.
    case engine
    /// A wave that builds up and breaks.
    case wave

    /// The contents of the AHAP file.
    package var file: [UInt8] { EmbeddedFile.bytes("samples/\(rawValue).ahap") }
}
