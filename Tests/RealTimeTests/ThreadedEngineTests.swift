// Tests in which an app performs arbitrary operations on engines from many threads at the same
// time, while boards are unplugged and plugged in.

import BridgeLink
import Foundation
import HapticPatterns
import SerialPorts
import TestSupport
import Testing

@testable import HapticBridge

@Suite(.serialized, .witnessed(tolerance: .milliseconds(80))) struct ThreadedEngineTests {
    private static let threads = 8
    /// The total number of operations of all threads; `make tsan` uses 10,000.
    private static let operations =
        ProcessInfo.processInfo.environment["ENGINE_OPERATIONS"].flatMap { Int($0) } ?? 800

    @Test func everyHandlerIsCalledOnceWhateverHappens() throws {
        let world = try World()
        DispatchQueue.concurrentPerform(iterations: Self.threads) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            for _ in 0..<(Self.operations / Self.threads) {
                world.act(using: &generator)
                usleep(.random(in: 0...10_000, using: &generator))
            }
        }
        world.end()
        // A report may cause further reports, so the test waits until all reports have been made.
        #expect(wait { world.calls.withLock { $0.values.allSatisfy { $0 == 1 } } })
        usleep(50_000)
        let wrong = world.calls.withLock { $0.filter { $0.value != 1 } }
        #expect(wrong.isEmpty, "\(wrong)")
        #expect(world.calls.withLock { $0.count } > Self.operations / 10)
        #expect(world.playings.withLock { $0 } > 0)
    }
}

/// Engines on a port that has a board only at some times.
private final class World: Sendable {
    /// The number of calls of each handler, keyed by the handler's number.
    let calls = LockedValue<[Int: Int]>([:])
    /// The number of successful starts of players.
    let playings = LockedValue(0)
    private let engines: LockedValue<[HapticEngine]>
    private let players = LockedValue<[EnginePlayer]>([])
    private let tasks = LockedValue<[Task<Void, Never>]>([])
    private let board: LockedValue<Board>
    private let path: String

    /// The board that is currently plugged in.
    private struct Board: @unchecked Sendable {
        var live: LiveBoard?
        let folder = Folder()
    }

    init() throws {
        let board = Board()
        let path = board.folder.path("port")
        self.path = path
        engines = LockedValue((0..<3).map { _ in HapticEngine(device: .port(path)) })
        self.board = LockedValue(board)
        try plug()
    }

    private func plug() throws {
        let live = try LiveBoard()
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: live.port)
        board.withLock { $0.live = live }
    }

    /// Returns a handler that must be called exactly once.
    private func handler() -> @Sendable () -> Void {
        let number = calls.withLock { calls in
            defer { calls[calls.count] = 0 }
            return calls.count
        }
        return { [self] in calls.withLock { $0[number]! += 1 } }
    }

    func act(using generator: inout SeededGenerator) {
        let engine = engines.withLock { $0.randomElement(using: &generator)! }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<20: start(engine)
        case 20..<26: stop(engine, using: &generator)
        case 26..<50: play(on: engine, using: &generator)
        case 50..<80: change(using: &generator)
        case 80..<88: setHandlers(of: engine)
        case 88..<92:
            engine.isMutedForHaptics = Bool.random(using: &generator)
            engine.isAutoShutdownEnabled = Bool.random(using: &generator)
        case 92..<94: replaceEngine(using: &generator)
        case 94..<96: try? engine.playPattern(from: SystemFeedback.impactLight.file)
        case 96: cancelledStart(of: engine)
        case 97: observe(engine, using: &generator)
        case 98: board.withLock { $0.live?.reset() }
        default: replug(using: &generator)
        }
    }

    private func start(_ engine: HapticEngine) {
        let called = handler()
        engine.start { [weak engine] _ in
            called()
            engine?.isMutedForAudio = true
        }
    }

    private func stop(_ engine: HapticEngine, using generator: inout SeededGenerator) {
        let called = handler()
        let starts = Bool.random(using: &generator)
        engine.stop { [weak engine] _ in
            called()
            if starts { engine?.start(completionHandler: nil) }
        }
    }

    private func play(on engine: HapticEngine, using generator: inout SeededGenerator) {
        let duration = Int64.random(in: 1_000...100_000, using: &generator)
        let made = try? engine.makeAdvancedPlayer(with: .held(0.5, for: duration))
        guard let player = made as? EnginePlayer else { return }
        player.loopEnabled = generator.chance(oneIn: 3)
        player.completionHandler = { [weak engine] _ in _ = engine?.currentTime }
        if (try? player.start(atTime: CHHapticTimeImmediate)) != nil {
            playings.withLock { $0 += 1 }
        }
        let old = players.withLock { players -> EnginePlayer? in
            players.append(player)
            return players.count > 12 ? players.removeFirst() : nil
        }
        withExtendedLifetime(old) {}
    }

    private func change(using generator: inout SeededGenerator) {
        guard let player = players.withLock({ $0.randomElement(using: &generator) }) else { return }
        let value = Float.random(in: 0...1, using: &generator)
        let parameter = CHHapticDynamicParameter(
            parameterID: .hapticIntensityControl, value: value, relativeTime: 0)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: try? player.start(atTime: CHHapticTimeImmediate)
        case 1: try? player.stop(atTime: CHHapticTimeImmediate)
        case 2: try? player.pause(atTime: CHHapticTimeImmediate)
        case 3: try? player.resume(atTime: CHHapticTimeImmediate)
        case 4: try? player.seek(toOffset: Double(value) / 10)
        case 5: player.playbackRate = value * 100
        case 6: player.loopEnd = Double(value)
        default: try? player.sendParameters([parameter], atTime: CHHapticTimeImmediate)
        }
    }

    private func setHandlers(of engine: HapticEngine) {
        engine.stoppedHandler = { [weak engine] _ in engine?.start(completionHandler: nil) }
        engine.resetHandler = { [weak engine] in try? engine?.start() }
        let called = handler()
        engine.notifyWhenPlayersFinished { [weak engine] _ in
            called()
            engine?.isMutedForHaptics = false
            return .leaveEngineRunning
        }
    }

    /// Replaces an engine. The old engine may be starting, playing or stopping, and players may
    /// keep references to the engine.
    private func replaceEngine(using generator: inout SeededGenerator) {
        let new = HapticEngine(device: .port(path))
        let old = engines.withLock { engines -> HapticEngine in
            let index = Int.random(in: engines.indices, using: &generator)
            defer { engines[index] = new }
            return engines[index]
        }
        withExtendedLifetime(old) {}
    }

    private func cancelledStart(of engine: HapticEngine) {
        let called = handler()
        let task = Task {
            try? await engine.start()
            called()
        }
        task.cancel()
    }

    /// Starts tasks that wait for events and for the end of a player.
    private func observe(_ engine: HapticEngine, using generator: inout SeededGenerator) {
        engine.reconnects = Bool.random(using: &generator)
        _ = engine.statistics
        let areTold = (handler(), handler())
        let events = engine.events
        let reading = Task {
            for await _ in events {}
            areTold.0()
        }
        let player = players.withLock { $0.randomElement(using: &generator) }
        let waiting = Task {
            try? await player?.finished
            areTold.1()
        }
        if Bool.random(using: &generator) {
            reading.cancel()
            waiting.cancel()
        } else {
            tasks.withLock { $0 += [reading, waiting] }
        }
    }

    private func replug(using generator: inout SeededGenerator) {
        let old = board.withLock { board -> LiveBoard? in
            defer { board.live = nil }
            return board.live
        }
        guard old?.end() != nil else { return }
        try? plug()
    }

    /// Releases all engines and players.
    func end() {
        for engine in engines.exchange([]) {
            let called = handler()
            engine.stoppedHandler = { _ in }
            engine.stop { _ in called() }
        }
        _ = players.exchange([])
        // A task that waits for a player keeps a reference to the player.
        for task in tasks.exchange([]) { task.cancel() }
    }
}

extension CHHapticPattern {
    /// Returns a pattern that holds one level for a number of microseconds.
    fileprivate static func held(
        _ intensity: Float, for duration: Microseconds
    ) throws -> CHHapticPattern {
        let event = CHHapticEvent(
            eventType: .hapticContinuous,
            parameters: [.init(parameterID: .hapticIntensity, value: intensity)],
            relativeTime: 0, duration: TimeInterval(duration) / 1_000_000)
        return try CHHapticPattern(events: [event], parameters: [])
    }
}
