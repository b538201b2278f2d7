// SamplePattern: patterns to try an actuator with, and to begin one's own with.

import EmbeddedFiles

/// A sample pattern. The raw value is its name on the command line and that of its file.
///
/// The samples show what AHAP can do: rows of taps, levels with curves, envelopes, and layers.
/// Unlike the named feedback of the library, they have no meaning.
package enum SamplePattern: String, CaseIterable, Sendable {
    /// A light click, then a bolt.
    case latch
    /// Two beats of a heart.
    case heartbeat
    /// A ball that bounces to rest.
    case ball
    /// Rain that comes and goes.
    case rain
    /// A cat that breathes.
    case purr
    /// A spring that rings out.
    case spring
    /// A starter, and the engine that catches.
    case engine
    /// A wave that builds up and breaks.
    case wave

    /// The contents of the AHAP file.
    package var file: [UInt8] { EmbeddedFile.bytes("samples/\(rawValue).ahap") }
}
