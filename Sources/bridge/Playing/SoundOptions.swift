// SoundOptions: whether what plays is heard, and when.

import ArgumentParser
import HapticBridge

/// The options for the sounds of patterns.
struct SoundOptions: ParsableArguments {
    @Flag(
        name: .customLong("no-sound"),
        help: "Do not play the sounds of the patterns, nor read their files.")
    var isOff = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How much later sound is heard than the device says, -1000 to 1000 ms.",
            discussion: """
                Headphones without a wire do not report their delay, which is some tenths of a \
                second: sounds are then played so much earlier. Defaults to the user's setting, \
                which `bridge settings audio-delay MS` changes.
                """,
            valueName: "ms"))
    var audioDelay: Double?

    func validate() throws {
        if let audioDelay, !(-1_000...1_000 ~= audioDelay) {
            throw ValidationError("--audio-delay is -1000 to 1000 milliseconds.")
        }
    }

    /// The delay; nil for the user's setting.
    var delay: Duration? { audioDelay.map { .milliseconds($0) } }
}
