// Tests of the output of `bridge play` for patterns with sounds, on computers with and without a
// sound device.

import Foundation
import TestSupport
import Testing

@Suite struct PlayedSoundTests {
    private let folder = Folder()

    /// A pattern without haptic events.
    private static let soundAlone =
        #"{"Pattern":[{"Event":{"Time":0,"EventType":"AudioContinuous","EventDuration":0.05}}]}"#

    @Test func aNegativeDelayNeedsNoEqualsSign() throws {
        let path = try folder.write("sound.ahap", Self.soundAlone)
        let played = try Tool.bridge(
            "play", "--preview", "--no-sound", "--audio-delay", "-100", path)
        #expect(played.status == 0, "\(played.errors)")
        let tooEarly = try Tool.bridge("play", "--preview", "--audio-delay", "-2000", path)
        #expect(tooEarly.status == 64)
        #expect(tooEarly.errors.contains("--audio-delay must be -1000 to 1000 milliseconds"))
    }

    @Test func aPatternOfSoundAloneLosesNothing() throws {
        let path = try folder.write("sound.ahap", Self.soundAlone)
        let outcome = try Tool.bridge("play", "--virtual", "--mute", path)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("the pattern contains nothing to be felt"))
        #expect(!outcome.output.contains("not rendered exactly"))
    }

    @Test func theResultCountsTheSoundsThatPlay() throws {
        let path = try folder.write("sound.ahap", Self.soundAlone)
        let played = try Tool.bridge("play", "--virtual", path)
        let isSilent = played.errors.contains("the sound of the pattern is not played")
        #expect(played.output.contains("played, \(isSilent ? "no events" : "1 sound")"))
        let unheard = try Tool.bridge("play", "--virtual", "--no-sound", path)
        #expect(unheard.output.contains("played, no events"))
    }
}
