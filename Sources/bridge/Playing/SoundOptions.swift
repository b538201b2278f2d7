// SoundOptions: the options for sound.

import ArgumentParser
import HapticBridge

/// The options for the sounds of patterns.
struct SoundOptions: ParsableArguments {
    @Flag(
        name: .customLong("no-sound"),
        help: "Neither read nor play the sound files of the patterns.")
    var isOff = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The delay of sound in addition to that reported by the device, -1000 to 1000 ms.",
            discussion: """
                Wireless headphones do not report their delay, which is a few tenths of a second. \
                Sounds are played earlier by this time. The default is the user's setting, which \
                `bridge settings audio-delay MS` changes.
                """,
            valueName: "ms"))
    var audioDelay: Double?

    func validate() throws {
        if let audioDelay, !(-1_000...1_000 ~= audioDelay) {
            throw ValidationError("--audio-delay must be -1000 to 1000 milliseconds.")
        }
    }

    /// The delay from the options; nil to use the delay from the user's settings.
    var delay: Duration? { audioDelay.map { .milliseconds($0) } }
}
