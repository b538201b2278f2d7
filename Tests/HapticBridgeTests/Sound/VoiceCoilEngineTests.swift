// Tests of engines on voice coils: their output to a sound device that tests step.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import BoardEngine
@testable import HapticBoards
@testable import HapticBridge

@Suite(.virtualTime) struct VoiceCoilEngineTests {
    private let output = SteppedOutput()
    /// The folder of the user's settings.
    private let folder = Folder()
    private let device = HapticDevice.voiceCoils(
        VoiceCoils(device: "test", channels: [3, 4], band: 75...300, maximumLevel: 0))

    init() {
        InstalledSound.install(output)
        HostProgram.current.setVariable("XDG_CONFIG_HOME", to: folder.url.path)
    }

    private func started(_ locality: HapticLocality = .default) throws -> HapticEngine {
        let engine = HapticEngine(device: device, locality: locality)
        engine.playsHapticsOnly = true
        try engine.start()
        return engine
    }

    /// A time on the host's clock that no test reaches.
    private static let farAhead = HostTime(microseconds: 1 << 46)

    /// Requests frames up to a time that is far in the future, so that commands must wait for this
    /// time. Returns the time.
    private func open() -> HostTime {
        _ = output.coilFrames(from: Self.farAhead - 10_000, count: 480)
        return Self.farAhead
    }

    private func peak(_ samples: some Sequence<Float>) -> Float { samples.map(abs).max() ?? 0 }

    @Test func aPatternMovesBothCoilsAtItsTime() throws {
        let engine = try started()
        #expect(!engine.isPreview && device.capabilities.supportsHaptics)
        let time = open()
        try engine.makePlayer(with: .tap(1)).start(atTime: (time + 20_000).seconds)
        let frames = output.coilFrames(from: time, count: 2_400)
        // The first sample of a sine is 0.
        #expect(frames.left.firstIndex { $0 != 0 } == 961)
        #expect(frames.left == frames.right)
    }

    @Test func leftAndRightAreLocalities() throws {
        #expect(
            device.supportedLocalities
                == [.default, .all, .handles, .leftHandle, .rightHandle])
        let (left, right) = (try started(.leftHandle), try started(.rightHandle))
        let time = open()
        for (engine, level) in [(left, 0.25), (right, 0.75)] {
            try engine.makePlayer(with: .held(level, for: 500_000)).start(atTime: time.seconds)
        }
        let frames = output.coilFrames(from: time, count: 9_600)
        #expect(abs(peak(frames.left) - 0.25) < 0.001 && abs(peak(frames.right) - 0.75) < 0.001)
        #expect(throws: HapticError.self) { try started(.leftTrigger) }
    }

    @Test func aStartAtOnceLosesNoTap() throws {
        let engine = try started()
        let time = open()
        try engine.makePlayer(with: .tap(0.8)).start(atTime: CHHapticTimeImmediate)
        let frames = output.coilFrames(from: time, count: 2_400)
        #expect(abs(peak(frames.left) - 0.8) < 0.01)
    }

    @Test func theStrongestOfAllPlayersIsPlayed() throws {
        let engine = try started()
        let time = open()
        for level in [0.25, 0.5] {
            try engine.makePlayer(with: .held(level, for: 500_000)).start(atTime: time.seconds)
        }
        #expect(abs(peak(output.coilFrames(from: time, count: 9_600).left) - 0.5) < 0.001)
    }

    @Test func aStopIsSilentAfterFourMilliseconds() throws {
        let engine = try started()
        let time = open()
        let player = try engine.makePlayer(with: .held(1, for: 5_000_000))
        try player.start(atTime: time.seconds)
        #expect(peak(output.coilFrames(from: time, count: 4_800).left) > 0.99)
        try player.stop(atTime: CHHapticTimeImmediate)
        let frames = output.coilFrames(from: time + 100_000, count: 480)
        #expect(peak(frames.left[..<48]) > 0.1)
        #expect(frames.left[192...].allSatisfy { $0 == 0 })
    }

    @Test func aCancelEndsATap() throws {
        let engine = try started()
        let time = open()
        let player = try engine.makePlayer(with: .tap(1))
        try player.start(atTime: (time + 10_000).seconds)
        // If the player were not canceled, the tap would last for 480 frames, until frame 960.
        #expect(output.coilFrames(from: time, count: 720).left.last! != 0)
        try player.cancel()
        let frames = output.coilFrames(from: time + 15_000, count: 480)
        #expect(frames.left[100] != 0 && frames.left[144...].allSatisfy { $0 == 0 })
    }

    @Test func aMutedEngineIsSilentAndContinues() throws {
        let engine = try started()
        let time = open()
        try engine.makePlayer(with: .held(1, for: 5_000_000)).start(atTime: time.seconds)
        _ = output.coilFrames(from: time, count: 480)
        engine.isMutedForHaptics = true
        #expect(
            output.coilFrames(from: time + 10_000, count: 480).left[192...].allSatisfy { $0 == 0 })
        engine.isMutedForHaptics = false
        #expect(peak(output.coilFrames(from: time + 20_000, count: 960).left) > 0.99)
    }

    @Test func theUsersGainApplies() throws {
        try HapticSettings.change { $0.gain = 0.5 }
        let engine = try started()
        let time = open()
        try engine.makePlayer(with: .held(1, for: 5_000_000)).start(atTime: time.seconds)
        #expect(abs(peak(output.coilFrames(from: time, count: 4_800).left) - 0.5) < 0.001)
        try HapticSettings.change { $0.isOn = false }
        pause(300_000)
        let frames = output.coilFrames(from: time + 100_000, count: 480)
        #expect(frames.left[192...].allSatisfy { $0 == 0 })
    }

    @Test func aLostDeviceStopsTheEngineWhichStartsAgain() throws {
        let engine = try started()
        let reason = LockedValue<HapticEngine.StoppedReason?>(nil)
        engine.stoppedHandler = { stopped in reason.withLock { $0 = stopped } }
        output.loseCoils(because: "it has stopped")
        #expect(wait { reason.withLock { $0 } == .systemError })
        #expect(engine.failure?.message == "sound:test::3,4: it has stopped")
        try engine.start()
        let time = open()
        try engine.makePlayer(with: .tap(1)).start(atTime: (time + 10_000).seconds)
        #expect(!output.coilFrames(from: time, count: 960).isSilent)
    }

    @Test func theStopOfTheLastEngineClosesTheDevice() async throws {
        let (one, other) = (try started(), try started())
        try await one.stop()
        #expect(!output.isClosed.withLock { $0 })
        try await other.stop()
        #expect(output.isClosed.withLock { $0 })
    }

    @Test func aDeviceThatCannotBeOpenedIsNamed() throws {
        output.refusal.withLock { $0 = HapticSettings.Refusal(description: "it does not exist") }
        let error = #expect(throws: HapticError.self) { try started() }
        #expect(error?.code == .notSupported)
        #expect(error?.message == "sound:test::3,4: it does not exist")
        InstalledSound.install(nil)
        #expect(throws: HapticError.self) { try started() }
    }

    @Test func valuesOutsideTheirRangesAreRefused() {
        let refused = [
            VoiceCoils(device: ""), VoiceCoils(device: "test", channels: []),
            VoiceCoils(device: "test", channels: [1, 1]), VoiceCoils(device: "test", channels: [0]),
            VoiceCoils(device: "test", band: 5...300), VoiceCoils(device: "test", band: 50...50),
            VoiceCoils(device: "test", maximumLevel: 1),
            VoiceCoils(device: "test", maximumDuration: .zero),
            VoiceCoils(
                device: "test",
                response: [VoiceCoils.ResponsePoint(frequency: 100, gain: 0)]),
        ]
        for coils in refused {
            let engine = HapticEngine(device: .voiceCoils(coils))
            let error = #expect(throws: HapticError.self, "\(coils)") { try engine.start() }
            #expect(error?.code == .invalidEngineParameter)
        }
    }

    @Test func anUninterruptedOutputIsReportedAsLimited() throws {
        let coils = VoiceCoils(device: "test", maximumDuration: .milliseconds(100))
        let engine = HapticEngine(device: .voiceCoils(coils))
        try engine.start()
        let time = open()
        try engine.makePlayer(with: .held(1, for: 5_000_000)).start(
            atTime: (time + 10_000).seconds)
        _ = output.coilFrames(from: time, count: 5_200)
        #expect(!engine.isOutputLimited)
        _ = output.coilFrames(from: time + 108_333, count: 480)
        #expect(engine.isOutputLimited)
    }
}
