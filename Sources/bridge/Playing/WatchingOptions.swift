// WatchingOptions: how a file plays while it is edited.

import ArgumentParser
import BridgeLink

/// The options for a file that is played again whenever it is saved.
struct WatchingOptions: ParsableArguments {
    @Flag(
        name: .customLong("watch"),
        help: ArgumentHelp(
            "Play the file again whenever it is saved, until Ctrl-C.",
            discussion: """
                Each save is felt at once, from 0.3 s before the first event that has changed. A \
                file that cannot be read is reported with line and column, and what was good plays \
                on. A save without a change plays again what is over.
                """))
    var isOn = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --watch: where each save plays from, in seconds, instead of what has changed.",
            valueName: "seconds"))
    var from: Double?

    @Flag(
        help: ArgumentHelp(
            "With --watch: repeat the pattern, from its beginning or from --from.",
            discussion: "A repetition takes half a second at least."))
    var loop = false

    /// The greatest --from, in seconds: a day, which is also the greatest length of a pattern.
    private static let fromMax = 86_400.0

    func validate() throws {
        guard isOn || (from == nil && !loop) else {
            throw ValidationError("--from and --loop need --watch.")
        }
        if let from, !(0...Self.fromMax ~= from) {
            throw ValidationError("--from is 0 to 86400 seconds.")
        }
    }

    /// The place from which each save plays, in microseconds; nil for what has changed.
    var start: Microseconds? { from.map { Microseconds(($0 * 1_000_000).rounded()) } }
}
