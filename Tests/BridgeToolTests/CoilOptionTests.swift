// Tests of the options of `bridge play` for voice coils, and of outputs that cannot be opened.

import Foundation
import TestSupport
import Testing

@Suite struct CoilOptionTests {
    @Test(arguments: [
        (["--output", "hw:2:3,4"], "character 1: sound:DEVICE[:CHANNELS] is expected"),
        (["--output", "sound:hw:2:3,x"], "character 14: a channel from 1 to 64 is expected"),
        (
            ["--output", "sound:a", "--band", "300-50"],
            "--band \"300-50\": a band within 10-1000 Hz"
        ),
        (
            ["--output", "sound:a", "--response", "60:1,50:1"],
            "--response \"50:1\": FREQUENCY:GAIN"
        ),
        (["--output", "sound:a", "--level", "1"], "--level must be -60 to 0 dBFS"),
        (["--output", "sound:a", "--longest", "0"], "--longest must be 0.1 to 3600 seconds"),
        (["--band", "50-300"], "--band needs --output"),
        (["--level", "-6"], "--level needs --output"),
        (["--output", "sound:a", "--preview"], "--preview and --output cannot be combined"),
        (["--output", "sound:a", "--watch"], "--watch cannot be combined with --output"),
    ])
    func aMistakeInAnOptionIsNamed(options: [String], message: String) throws {
        let outcome = try RunningTool(
            Tool.executable("bridge"), ["play"] + options + ["success"]
        ).outcome()
        #expect(outcome.status == 64 && outcome.errors.contains(message), "\(outcome.errors)")
    }

    #if os(Linux)
        @Test func aDeviceThatDoesNotExistIsNamed() throws {
            let outcome = try Tool.bridge("play", "--output", "sound:nowhere::3,4", "success")
            #expect(outcome.status == 69)
            #expect(
                outcome.errors.contains(
                    "--output: sound:nowhere::3,4: the sound device cannot be opened"),
                "\(outcome.errors)")
        }
    #endif
}
