// Programs in a ProgramWorld that play patterns as an app does, for suites with the trait
// `.virtualTime`.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport

@testable import HapticBridge

/// An engine of a program that counts the calls of its handlers.
private final class CountedEngine {
    let world: ProgramWorld
    let engine: HapticEngine
    private let stops = LockedValue(0)
    private let resets = LockedValue(0)
    /// The number of players created, and the number of players that have ended.
    private var begun = 0
    private let over = LockedValue(0)

    init(_ world: ProgramWorld) {
        self.world = world
        engine = HapticEngine(device: .port(world.port), locality: .leftHandle)
        engine.stoppedHandler = { [stops] _ in stops.withLock { $0 += 1 } }
        engine.resetHandler = { [resets] in resets.withLock { $0 += 1 } }
    }

    /// Starts the engine. Carries out an operation. Returns true if the operation succeeds;
    /// otherwise records an error.
    func start() -> Bool {
        let called = Link.now()
        var failure: (any Error)?
        do { try engine.start() } catch { failure = error }
        let taken = Double(Link.now() - called) / 1_000_000
        world.expect(failure == nil, "a start fails: \(failure!)")
        world.expect(taken < ProgramWorld.patience, "a start takes \(taken) s")
        return failure == nil
    }

    /// Creates a player that must end without an error. The player may end at most once per start,
    /// and must not end while a later start is pending.
    func player(
        _ pattern: CHHapticPattern, starts: Int = 1
    ) throws -> any HapticAdvancedPatternPlayer {
        let player = try engine.makeAdvancedPlayer(with: pattern)
        begun += 1
        let ends = LockedValue(0)
        player.completionHandler = { [world, over] error in
            world.expect(error == nil, "a player ends with an error: \(error!)")
            let count = ends.withLock { ends in
                ends += 1
                return ends
            }
            world.expect(count <= starts, "a player ends \(count) times after \(starts) starts")
            if count == 1 { over.withLock { $0 += 1 } }
        }
        return player
    }

    /// Stops the engine once its players have ended.
    func end() {
        let isOver = wait(seconds: 20) { over.withLock { $0 } == begun }
        world.expect(isOver, "\(over.withLock { $0 }) of \(begun) players are over")
        world.expect(engine.isRunning, "the engine has stopped without a request")
        world.expect(resets.withLock { $0 } == 0, "the board was reset")
        world.expect(stops.withLock { $0 } == 0, "the engine was stopped")
        let answers = LockedValue(0)
        engine.stop { [world] error in
            world.expect(error == nil, "the stop fails: \(error!)")
            answers.withLock { $0 += 1 }
        }
        let isStopped = wait(seconds: ProgramWorld.patience) { answers.withLock { $0 } > 0 }
        pause(20_000)
        world.expect(
            isStopped && answers.withLock { $0 } == 1, "a stop is not answered exactly once")
    }
}

/// A program that holds a weak level, taps in its own rhythm, and requests each tap in advance.
struct Witness {
    private let counted: CountedEngine
    private var generator: SeededGenerator

    /// The level that is held between the taps.
    private static let level = 8

    init(_ world: ProgramWorld, _ generator: SeededGenerator) {
        counted = CountedEngine(world)
        self.generator = generator
    }

    func run() {
        var witness = self
        guard counted.start() else { return }
        do { try witness.tap() } catch { counted.world.expect(false, "the witness: \(error)") }
        counted.end()
    }

    private mutating func tap() throws {
        let begin = Link.now() + 150_000
        var times = [begin + 50_000]
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            times.append(times.last! + .random(in: 50_000...120_000, using: &generator))
        }
        let length = times.last! + 100_000 - begin
        try counted.player(.held(Double(Self.level) / 255, for: length))
            .start(atTime: begin.seconds)
        counted.world.plan.hold(Self.level, begin..<begin + length)
        counted.world.playsUntil.withLock { $0 = begin + length }
        let player = try counted.player(.taps(1), starts: times.count)
        for time in times {
            let ahead = Microseconds.random(in: 100_000...250_000, using: &generator)
            pause(max(0, time - ahead - Link.now()))
            try player.start(atTime: time.seconds)
            counted.world.plan.tap(at: time)
        }
        pause(begin + length - Link.now())
    }
}

/// A program that holds levels, stops some of them early, plays hundreds of taps, sends hundreds of
/// parameters, and creates large patterns.
struct HoldingProgram {
    private let counted: CountedEngine
    private var generator: SeededGenerator

    private var engine: HapticEngine { counted.engine }
    private var world: ProgramWorld { counted.world }

    /// The maximum time from sending a command until the command takes effect, in microseconds.
    private static let ahead: Microseconds = 120_000

    init(_ world: ProgramWorld, _ generator: SeededGenerator) {
        counted = CountedEngine(world)
        self.generator = generator
    }

    func run() {
        var program = self
        guard counted.start() else { return }
        do {
            for _ in 0..<Int.random(in: 1...3, using: &program.generator) { try program.act() }
        } catch { world.expect(false, "a player: \(error)") }
        counted.end()
        let left = engine.core.voices.withLock { $0.players.count }
        world.expect(left <= 8, "\(left) players remain in the engine")
    }

    private mutating func act() throws {
        switch Int.random(in: 0..<16, using: &generator) {
        case 0...4: try hold(isCut: false)
        case 5...7: try hold(isCut: true)
        case 8, 9: try tapOften()
        case 10, 11: try sendParameters()
        case 12: try startNothingLarge()
        case 13: try playReleased()
        default: pause(.random(in: 10_000...300_000, using: &generator))
        }
    }

    /// Holds a level from a given time, and in some cases stops the level early.
    private mutating func hold(isCut: Bool) throws {
        let level = Int.random(in: 16...128, using: &generator)
        let length = Microseconds.random(in: 30_000...400_000, using: &generator)
        let player = try counted.player(.held(Double(level) / 255, for: length))
        let start = Link.now() + Self.ahead + .random(in: 0...80_000, using: &generator)
        try player.start(atTime: start.seconds)
        guard isCut else { return world.plan.hold(level, start..<start + length) }
        let end = start + .random(in: 15_000...max(15_000, length - 10_000), using: &generator)
        try player.stop(atTime: end.seconds)
        world.plan.hold(level, start..<min(end, start + length))
    }

    /// Plays each immediate tap with a new player, and keeps no reference to the player.
    private mutating func tapOften() throws {
        let tap = CHHapticPattern.taps(0.2)
        let begun = Link.now()
        for _ in 0..<Int.random(in: 5...120, using: &generator) {
            try engine.makePlayer(with: tap).start(atTime: CHHapticTimeImmediate)
            if generator.chance(oneIn: 4) { pause(2_000) }
        }
        world.plan.tap(at: 51, within: begun..<Link.now() + Self.ahead)
    }

    /// Sends hundreds of parameters that have no effect.
    private mutating func sendParameters() throws {
        let player = try counted.player(.held(0.25, for: 300_000))
        let start = Link.now() + Self.ahead
        try player.start(atTime: start.seconds)
        world.plan.hold(64, start..<start + 300_000)
        let parameters = (0..<Int.random(in: 10...600, using: &generator)).map { number in
            CHHapticDynamicParameter(
                parameterID: .hapticIntensityControl, value: 1,
                relativeTime: Double(number) / 1_000)
        }
        try player.sendParameters(parameters, atTime: start.seconds)
    }

    /// Schedules the start of a large pattern far in the future, and cancels the start.
    private mutating func startNothingLarge() throws {
        let count = generator.chance(oneIn: 10) ? 12_000 : 600
        let player = try engine.makeAdvancedPlayer(with: .taps(1, count: count))
        try player.start(atTime: (Link.now() + 30_000_000).seconds)
        pause(.random(in: 0...200_000, using: &generator))
        try player.cancel()
    }

    /// Schedules the start of a player, and releases the player before the start.
    private mutating func playReleased() throws {
        let start = Link.now() + Self.ahead
        try engine.makePlayer(with: .held(0.4, for: 100_000)).start(atTime: start.seconds)
        world.plan.hold(102, start..<start + 100_000)
        pause(Self.ahead + 110_000)
    }
}

extension CHHapticPattern {
    /// Returns a pattern with a continuous event.
    fileprivate static func held(_ intensity: Double, for time: Microseconds) -> CHHapticPattern {
        pattern([
            CHHapticEvent(
                eventType: .hapticContinuous, parameters: [.intensity(intensity)], relativeTime: 0,
                duration: Double(time) / 1_000_000)
        ])
    }

    /// Returns a pattern with taps every 5 ms.
    fileprivate static func taps(_ intensity: Double, count: Int = 1) -> CHHapticPattern {
        pattern(
            (0..<count).map {
                CHHapticEvent(
                    eventType: .hapticTransient, parameters: [.intensity(intensity)],
                    relativeTime: Double($0) / 200)
            })
    }

    private static func pattern(_ events: [CHHapticEvent]) -> CHHapticPattern {
        do { return try CHHapticPattern(events: events, parameters: []) } catch {
            fatalError("\(error)")
        }
    }
}

extension CHHapticEventParameter {
    fileprivate static func intensity(_ value: Double) -> CHHapticEventParameter {
        CHHapticEventParameter(parameterID: .hapticIntensity, value: Float(value))
    }
}
