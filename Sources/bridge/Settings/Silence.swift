// bridge silence: mutes all haptics for a time, for example during a recording.

import ArgumentParser
import BridgeLink
import HapticBridge
import JSONText
import POSIX
import SerialPorts
import ToolSupport

struct Silence: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mute all haptics for a time.",
        discussion: """
            Use this command for a recording with a camera, a microphone or a motion sensor. All \
            programs of the user continue to play without being felt, and are felt again when the \
            command ends for any reason. The silence is complete 0.3 s after the command starts; \
            the command prints a line at that moment.

            Examples:
              bridge silence 10
              bridge silence 60 & arecord -d 5 sound.wav; kill $!
            """)

    @Argument(help: ArgumentHelp("The duration of the silence, up to a day.", valueName: "seconds"))
    var seconds: Double

    @OptionGroup(title: "Output options") var output: OutputOptions

    private static let secondsMax = 86_400.0
    /// The maximum time until playing boards apply a silence, in microseconds.
    private static let settling: Microseconds = 300_000
    /// The maximum duration of one sleep, in microseconds.
    private static let nap: Microseconds = 500_000

    func validate() throws {
        guard seconds > 0, seconds <= Self.secondsMax else {
            throw ValidationError(
                "The duration of a silence must be above 0 and at most 86400 seconds.")
        }
    }

    func run() throws {
        let silence: HapticSilence
        do {
            silence = try HapticSilence()
        } catch {
            throw ToolError(
                .cannotCreate, error.description,
                advice: "choose a folder of your own with the variable XDG_RUNTIME_DIR")
        }
        defer { silence.end() }
        hostClock.sleep(for: Self.settling)
        try output.result(
            ["schema": "bridge.silence/1", "seconds": .thousandths(Int(seconds * 1_000))],
            text: "nothing is felt for \(seconds.text(decimals: 1)) s")
        let end = Link.now() + Microseconds(seconds * 1_000_000)
        while !Interruption.isRequested, case let rest = end - Link.now(), rest > 0 {
            hostClock.sleep(for: min(rest, Self.nap))
        }
    }
}
