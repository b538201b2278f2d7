// Tests that engines without a board start, play, stop and report in the same way as with a board.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import BoardEngine
@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge

@Suite(.virtualTime) struct PreviewedEngineTests {
    private func started(_ device: HapticDevice = .preview) throws -> CHHapticEngine {
        let engine = CHHapticEngine(device: device)
        try engine.start()
        return engine
    }

    private func device(failing error: any Error & Sendable) -> HapticDevice {
        var device = HapticDevice(name: "none") { throw error }
        device.preview = .withoutBoard
        return device
    }

    @Test func aPlayerIsOverAfterItsPattern() async throws {
        let engine = try started()
        #expect(engine.isPreview && engine.previewReason == nil)
        let player = try engine.makePlayer(with: .held(0.6, for: 100_000))
        let began = engine.currentTime
        try player.start(atTime: CHHapticTimeImmediate)
        #expect(player.output(atTime: 0)?.intensity == 0.6)
        #expect(engine.output(atTime: 0).intensity == 0.6)
        try await player.finished
        #expect(engine.currentTime - began >= 0.1 && engine.output(atTime: 0) == .silence)
        #expect(player.output(atTime: 0) == nil)
        try await engine.stop()
        #expect(!engine.isPreview)
    }

    @Test func aStopEndsALoopAndTheEngineStartsAgain() async throws {
        let engine = try started()
        let player = try engine.makeAdvancedPlayer(with: .held(1, for: 20_000))
        player.loopEnabled = true
        try player.start(atTime: 0)
        #expect(player.output(atTime: engine.currentTime + 1_000)?.intensity == 1)
        try await engine.stop()
        try await player.finished
        #expect(engine.output(atTime: 0) == .silence && player.output(atTime: 0) == nil)
        try await engine.start()
        try player.start(atTime: 0)
        #expect(player.output(atTime: 0)?.intensity == 1)
        engine.isMutedForHaptics = true
        #expect(player.output(atTime: 0) == .silence && engine.output(atTime: 0) == .silence)
        try await engine.stop()
    }

    @Test func anEngineThatIsReleasedEnds() throws {
        var engine: CHHapticEngine? = try started()
        weak let core = engine?.core
        engine = nil
        #expect(wait { core == nil })
    }

    @Test func whereNoBoardAnswersAPreviewTakesItsPlace() async throws {
        let engine = try started(device(failing: TransportError.notFound(path: "none")))
        #expect(engine.isPreview && engine.previewReason?.message.contains("none") == true)
        engine.isAutoShutdownEnabled = true
        let player = try engine.makePlayer(with: .tap(1))
        try player.start(atTime: 0)
        try await player.finished
        try await engine.stop()
    }

    @Test func anotherFailureIsOneAlsoWhereAPreviewIsAllowed() {
        let refused = HapticSettings.Refusal(description: "settings.json:1:1: an object")
        let engine = CHHapticEngine(device: device(failing: refused))
        #expect(throws: CHHapticError.self) { try engine.start() }
        #expect(!engine.isRunning && !engine.isPreview)
    }

    @Test func aBoardIsPlayedOnWhereThereIsOne() throws {
        let board = try LiveBoard()
        var device = HapticDevice.port(board.port)
        device.preview = .withoutBoard
        #expect(device.capabilities.supportsHaptics && !device.capabilities.isPreview)
        let engine = try started(device)
        #expect(!engine.isPreview && engine.previewReason == nil)
        let player = try engine.makePlayer(with: .held(0.8, for: 200_000))
        try player.start(atTime: 0)
        #expect(
            player.output(atTime: 0)?.intensity == 0.8,
            "the preview also changes while a board plays")
        #expect(wait { board.hasDriven })
        engine.stop()
        #expect(wait { board.isAtRest })
    }

    @Test func theOutputIsASequenceThatEndsWithTheEngine() async throws {
        let engine = try started()
        let outputs = engine.outputs(every: .milliseconds(2))
        let player = try engine.makePlayer(with: .held(0.5, for: 400_000))
        try player.start(atTime: 0)
        engine.notifyWhenPlayersFinished { _ in .stopEngine }
        var seen: Set<Float> = []
        for await output in outputs { seen.insert(output.intensity) }
        #expect(seen.contains(0.5) && seen.isSubset(of: [0, 0.5]))
    }

    @Test func feedbackPlaysOnAPreview() throws {
        let engine = try started()
        let generator = ImpactFeedbackGenerator(engine: engine)
        generator.impactOccurred()
        #expect(wait { engine.output(atTime: 0).intensity > 0 })
        engine.stop()
    }

    @Test func theSoundOfAWindowIsThatOfWhatWasPlayedInIt() async throws {
        let engine = try started()
        #expect(engine.span(from: Link.now() - 100_000, to: Link.now()).taps.isEmpty)
        let player = try engine.makePlayer(with: .tap(0.5))
        let before = Link.now()
        try player.start(atTime: 0)
        let after = Link.now() + 1
        let span = engine.span(from: before, to: after)
        #expect(span.taps.map(\.intensity) == [0.5])
        #expect(span.taps.allSatisfy { before.microseconds..<after.microseconds ~= $0.time })
        var tone = PreviewTone()
        let samples = tone.render(span, from: before.microseconds, count: 480)
        #expect(samples.contains { $0 > 0.4 })
        try await engine.stop()
        #expect(engine.span(from: before, to: after).taps.isEmpty)
    }

    // MARK: Capabilities

    @Test func capabilitiesDistinguishAPreviewFromABoard() {
        let preview = HapticDevice.preview.capabilities
        #expect(!preview.supportsHaptics && preview.isPreview)
        #expect(HapticDevice.preview.supportedLocalities == [.all, .default])
        let nowhere = HapticDevice.port("/dev/nowhere")
        #expect(!nowhere.capabilities.supportsHaptics && !nowhere.capabilities.isPreview)
        var allowing = nowhere
        allowing.preview = .withoutBoard
        #expect(!allowing.capabilities.supportsHaptics && allowing.capabilities.isPreview)
    }

    @Test func aFileThatIsNoPortCannotBeABoard() {
        for path in ["/dev/null", "/etc/passwd", "/dev"] {
            #expect(!HapticDevice.port(path).capabilities.supportsHaptics, "\(path)")
        }
    }
}
