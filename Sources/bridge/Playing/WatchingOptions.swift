// WatchingOptions: the options for playing a file while it is edited.

import ArgumentParser
import BridgeLink

/// The options for a file that is played again whenever it is saved.
struct WatchingOptions: ParsableArguments {
    @Flag(
        name: .customLong("watch"),
        help: ArgumentHelp(
            "Play the file again whenever it is saved, until Ctrl-C.",
            discussion: """
                Each save plays immediately, from 0.3 s before the first event that has changed. A \
                file that cannot be read is reported with line and column, and the last valid \
                version continues to play. Saving the unchanged file plays the pattern again if \
                the pattern has ended.
                """))
    var isOn = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --watch: the position from which each save plays, in seconds, instead of the change.",
            valueName: "seconds"))
    var from: Double?

    @Flag(
        help: ArgumentHelp(
            "With --watch: repeat the pattern, from its start or from --from.",
            discussion: "Each repetition takes at least half a second."))
    var loop = false

    /// The maximum of --from, in seconds: one day, which is also the maximum length of a pattern.
    private static let fromMax = 86_400.0

    func validate() throws {
        guard isOn || (from == nil && !loop) else {
            throw ValidationError("--from and --loop need --watch.")
        }
        if let from, !(0...Self.fromMax ~= from) {
            throw ValidationError("--from must be 0 to 86400 seconds.")
        }
    }

    /// The position from which each save plays, in microseconds; nil to play from the change.
    var start: Microseconds? { from.map { Microseconds(($0 * 1_000_000).rounded()) } }
}
