// Tests of the output of engines to a sound device that a test steps.

import BridgeLink
import Foundation
import HapticBridgeSound
import HapticPatterns
import SerialPorts
import TestSupport
import Testing

@testable import BoardEngine
@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge

@Suite(.virtualTime) final class EngineSoundTests {
    private let output = SteppedOutput()
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("sound-\(UUID().uuidString)")

    init() throws {
        InstalledSound.install(output)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A sound with a duration of a quarter of a second, at full scale.
        let samples = [Float](repeating: 0.5, count: 12_000)
        try Data(SampleFiles.floatWAV(samples)).write(
            to: folder.appendingPathComponent("half.wav"))
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private func file(_ sound: String = "half.wav", _ more: String = "") throws -> URL {
        let url = folder.appendingPathComponent("pattern.ahap")
        let text = """
            {"Version": 1, "Pattern": [
            {"Event": {"Time": 0, "EventType": "AudioCustom", "EventWaveformPath": "\(sound)"\(more),
             "EventParameters": []}}]}
            """
        try Data(text.utf8).write(to: url)
        return url
    }

    private func started() throws -> HapticEngine {
        let engine = HapticEngine(device: .preview)
        try engine.start()
        return engine
    }

    /// A time on the host's clock that no test reaches.
    private static let farAhead = HostTime(microseconds: 1 << 46)

    /// Requests frames up to a time that is far in the future, so that commands must wait for this
    /// time. Returns the time.
    private func open(_ engine: HapticEngine) -> HostTime {
        let time = Self.farAhead
        _ = output.frames(from: time - 10_000, count: 480)
        return time
    }

    @Test func aFileIsAudibleAtItsTime() throws {
        let engine = try started()
        let time = open(engine)
        let player = try engine.makePlayer(with: CHHapticPattern(contentsOf: file()))
        try player.start(atTime: (time + 20_000).seconds)
        let frames = output.frames(from: time, count: 2_400)
        let onset = try #require(frames.left.firstIndex { $0 > 0.1 })
        #expect((959...961).contains(onset))
        #expect(abs(frames.left[2_000] - 0.5) < 0.01)
    }

    @Test func blocksFollowEachOtherWithoutAGapWhereverTheyBeginInAMicrosecond() throws {
        let step = 1_000_000.0 / 48_000
        let windows = (0..<100).map { index in
            SoundWindow(
                start: 5_000.3 + Double(480 * index) * step * 1.000_01, step: step * 1.000_01,
                count: 480)
        }
        for (window, next) in zip(windows, windows.dropFirst()) {
            // The end of a window, in whole microseconds, is the boundary between this window and
            // the next.
            let boundary = HostTime(microseconds: Int64(window.end.rounded(.up)))
            #expect(window.frame(at: boundary) == 480)
            #expect(next.frame(at: boundary) == 0)
        }
    }

    @Test func aStartAtOnceWaitsUntilItIsAudible() throws {
        let engine = try started()
        let time = open(engine)
        try engine.playPattern(from: file())
        #expect(output.frames(from: time, count: 480).isSilent)
        let frames = output.frames(from: time + 10_000, count: 480)
        #expect(frames.left[2] > 0.1)
    }

    /// Checks a device that behaves as if headphones were unplugged and plugged in again.
    @Test func aDeviceThatWasLostPlaysAgainOnceItIsBack() throws {
        let engine = try started()
        let time = open(engine)
        output.report(failure: "it has stopped")
        #expect(engine.soundFailure == "it has stopped")
        output.report(failure: nil)
        #expect(engine.soundFailure == nil)
        _ = output.frames(from: time, count: 480)
        try engine.playPattern(from: file())
        let frames = output.frames(from: time + 10_000, count: 1_440)
        #expect(frames.left.contains { $0 > 0.1 })
    }

    @Test func playersOfALostDeviceContinueInaudiblyAndAreAudibleOnceItIsBack() throws {
        let engine = try started()
        let pattern = try CHHapticPattern(contentsOf: file())
        let (loop, kept) = (
            try engine.makeAdvancedPlayer(with: pattern), try engine.makePlayer(with: pattern)
        )
        loop.loopEnabled = true
        try loop.start(atTime: CHHapticTimeImmediate)
        pause(300_000)
        output.report(failure: "it has stopped")
        // Checks that the sound of a player that ends while the device is missing is not played
        // later.
        try engine.makePlayer(with: pattern).start(atTime: CHHapticTimeImmediate)
        pause(1_000_000)
        output.report(failure: nil)
        let again = output.frames(from: Link.now() + 10_000, count: 960)
        #expect(again.left.suffix(480).allSatisfy { abs($0 - 0.5) < 0.01 }, "the loop continues")
        try loop.stop(atTime: CHHapticTimeImmediate)
        _ = output.frames(from: Link.now() + 30_000, count: 480)
        #expect(output.frames(from: Link.now() + 40_000, count: 480).isSilent)
        try kept.start(atTime: (Link.now() + 100_000).seconds)
        let frames = output.frames(from: Link.now() + 100_000, count: 960)
        #expect(frames.left.suffix(480).allSatisfy { abs($0 - 0.5) < 0.01 })
    }

    /// Plays a short sound every 10 ms with a player, and keeps no reference to the player.
    @Test func playersThatAreOverAndReleasedAreForgottenWhileOthersPlay() {
        let pattern = HapticPattern(events: [HapticEvent(.audioCustom, time: 0, duration: 20_000)])
        let samples = SoundSamples(
            channels: [[Float](repeating: 0.5, count: 960)], sampleRate: 48_000)
        let sound = SoundVoice(pattern, sounds: [0: samples])
        var voices = TimedVoices<SoundedVoice>()
        for number in 0..<1_000 {
            let id = PlayerID(number: UInt64(number))
            let time = HostTime(microseconds: Int64(number) * 10_000)
            voices.perform(.add(PlayerVoice(pattern)), of: id, at: time)
            voices.change(id) { $0.load(sound) }
            for command in [PlayerCommand.start(at: time), .abandon] {
                voices.perform(command, of: id, at: time)
            }
            voices.advance(to: time + 10_000)
            let window = SoundWindow(
                start: Double(time.microseconds), step: 1_000_000 / 48_000, count: 480)
            var frames = SoundFrames(count: 480)
            for player in voices.active {
                voices.change(player) { $0.render(window, isMuted: false, into: &frames) }
            }
            #expect(!frames.isSilent)
        }
        #expect(voices.players.count < 10, "\(voices.players.count)")
    }

    @Test func theEndOfTheFileIsTheEndOfThePlayer() async throws {
        let engine = try started()
        engine.playsHapticsOnly = false
        let player = try engine.makeAdvancedPlayer(with: CHHapticPattern(contentsOf: file()))
        let start = engine.currentTime + 0.1
        try player.start(atTime: start)
        try await player.finished
        #expect(engine.currentTime >= start + 0.25)
    }

    @Test func aStopFadesWithinFiveMilliseconds() throws {
        let engine = try started()
        let time = open(engine)
        let player = try engine.makePlayer(with: CHHapticPattern(contentsOf: file()))
        try player.start(atTime: (time + 10_000).seconds)
        #expect(!output.frames(from: time, count: 1_440).isSilent)
        try player.stop(atTime: 0)
        let frames = output.frames(from: time + 30_000, count: 480)
        #expect(frames.left[10] > 0.3 && frames.left[240...].allSatisfy { $0 == 0 })
    }

    @Test func mutedAudioIsSilentAndContinues() throws {
        let engine = try started()
        let time = open(engine)
        let player = try engine.makePlayer(with: CHHapticPattern(contentsOf: file()))
        try player.start(atTime: (time + 10_000).seconds)
        engine.isMutedForAudio = true
        _ = output.frames(from: time, count: 480)
        #expect(output.frames(from: time + 10_000, count: 480).isSilent)
        engine.isMutedForAudio = false
        #expect(output.frames(from: time + 20_000, count: 960).left[900] > 0.4)
    }

    @Test func mutedHapticsKeepTheirSound() throws {
        let engine = try started()
        engine.isMutedForHaptics = true
        let time = open(engine)
        try engine.playPattern(from: file())
        #expect(!output.frames(from: time, count: 1_440).isSilent)
    }

    @Test func aLoopPlaysItsSoundAgain() throws {
        let engine = try started()
        let time = open(engine)
        let player = try engine.makeAdvancedPlayer(with: CHHapticPattern(contentsOf: file()))
        player.loopEnabled = true
        player.loopEnd = 0.1
        try player.start(atTime: (time + 10_000).seconds)
        let frames = output.frames(from: time, count: 24_000)
        #expect(frames.left[23_000] > 0.4)
    }

    @Test func aPauseIsSilent() throws {
        let engine = try started()
        let time = open(engine)
        let player = try engine.makeAdvancedPlayer(with: CHHapticPattern(contentsOf: file()))
        try player.start(atTime: (time + 10_000).seconds)
        try player.pause(atTime: (time + 30_000).seconds)
        try player.resume(atTime: (time + 60_000).seconds)
        let frames = output.frames(from: time, count: 4_800)
        #expect(frames.left[1_300] > 0.4)
        #expect(frames.left[1_700..<2_870].allSatisfy { $0 == 0 })
        #expect(frames.left[3_000] > 0.4)
    }

    @Test func registeredSoundsPlayWithTheirOptions() throws {
        let engine = try started()
        let time = open(engine)
        let id = try engine.registerAudioResource(
            folder.appendingPathComponent("half.wav"),
            options: [CHHapticAudioResourceKeyLoopEnabled: true])
        let event = CHHapticEvent(
            audioResourceID: id, parameters: [], relativeTime: 0, duration: 1)
        let player = try engine.makePlayer(
            with: CHHapticPattern(events: [event], parameters: [] as [CHHapticDynamicParameter]))
        try player.start(atTime: (time + 10_000).seconds)
        #expect(output.frames(from: time, count: 24_000).left[20_000] > 0.4)
    }

    @Test func anEngineForHapticsOnlyOpensNoDeviceAndReadsNoSound() throws {
        let engine = HapticEngine(device: .preview)
        engine.playsHapticsOnly = true
        try engine.start()
        let player = try engine.makePlayer(with: CHHapticPattern(contentsOf: file("gone.wav")))
        try player.start(atTime: 0)
        #expect(output.frames(from: Self.farAhead, count: 4_800).isSilent)
    }

    @Test func theStopOfAnEngineClosesTheDevice() async throws {
        let engine = try started()
        #expect(!output.isClosed.withLock { $0 })
        try await engine.stop()
        #expect(output.isClosed.withLock { $0 })
    }

    @Test func aMissingSoundIsNamedWithItsPlace() throws {
        let engine = try started()
        let pattern = try CHHapticPattern(contentsOf: file("gone.wav"))
        let error = #expect(throws: HapticError.self) { try engine.makePlayer(with: pattern) }
        #expect(error?.code == .resourceNotAvailable)
        #expect(error?.message.contains("pattern.ahap:2:") == true)
        #expect(error?.message.contains("gone.wav: there is no such sound file") == true)
    }

    @Test func aFileThatIsNoSoundIsNamedWithItsPlace() throws {
        let engine = try started()
        try Data("RIFF".utf8).write(to: folder.appendingPathComponent("cut.wav"))
        let pattern = try CHHapticPattern(contentsOf: file("cut.wav"))
        let error = #expect(throws: HapticError.self) { try engine.makePlayer(with: pattern) }
        #expect(error?.code == .invalidAudioResource)
        #expect(error?.message.contains("cut.wav: this is not a readable sound file") == true)
    }

    /// Checks which paths of sounds are accepted in patterns from untrusted sources.
    @Test(arguments: ["/", "../", "below/../../", "link/", "linked.wav"])
    func aSoundOutsideOfThePatternsFolderIsRefusedWithItsPlace(way: String) throws {
        let engine = try started()
        let outside = folder.path + "-outside"
        try FileManager.default.createDirectory(
            atPath: outside, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: outside) }
        let sound = folder.appendingPathComponent("half.wav")
        try FileManager.default.copyItem(atPath: sound.path, toPath: outside + "/half.wav")
        symlink(outside, folder.path + "/link")
        symlink(outside + "/half.wav", folder.path + "/linked.wav")
        let name =
            switch way {
            case "/": sound.path
            case "link/": "link/half.wav"
            case "linked.wav": way
            default: way + folder.lastPathComponent + "-outside/half.wav"
            }
        let pattern = try CHHapticPattern(contentsOf: file(name))
        let error = #expect(throws: HapticError.self) { try engine.makePlayer(with: pattern) }
        #expect(error?.code == .invalidAudioResource)
        #expect(error?.message.contains("pattern.ahap:2:") == true)
        #expect(error?.message.contains("the folder of its pattern") == true)
    }

    @Test func aSoundBelowThePatternsFolderAndALinkWithinItPlay() throws {
        let engine = try started()
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("below"), withIntermediateDirectories: true)
        symlink("../half.wav", folder.path + "/below/linked.wav")
        let player = try engine.makePlayer(
            with: CHHapticPattern(contentsOf: file("below/linked.wav")))
        let time = open(engine)
        try player.start(atTime: (time + 10_000).seconds)
        #expect(!output.frames(from: time, count: 1_440).isSilent)
    }

    /// Checks that the engine does not search the program's current folder for the sounds of a
    /// pattern in another folder.
    @Test func aFileBesideTheProgramIsNoSoundOfAPatternElsewhere() throws {
        let engine = try started()
        let program = try #require(Bundle.main.executableURL).lastPathComponent
        let pattern = try CHHapticPattern(contentsOf: file(program))
        let error = #expect(throws: HapticError.self) { try engine.makePlayer(with: pattern) }
        #expect(error?.code == .resourceNotAvailable)
    }

    @Test func soundIsACapabilityOnceItIsInstalled() {
        #expect(CHHapticEngine.capabilitiesForHardware().supportsAudio)
        InstalledSound.install(nil)
        #expect(!CHHapticEngine.capabilitiesForHardware().supportsAudio)
    }
}
