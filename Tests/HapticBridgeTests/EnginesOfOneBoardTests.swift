// Tests of several engines that use one virtual board at the same time, each with its own locality.

import BridgeLink
import DRV2605
import Foundation
import HapticPatterns
import SerialPorts
import TestSupport
import Testing

@testable import HapticBoards
@testable import HapticBridge

extension LiveBoard {
    /// Configures the localities of the board's actuators: by default the handles, then the
    /// triggers.
    func placeActuators(
        at localities: [Locality] = [.leftHandle, .rightHandle, .leftTrigger, .rightTrigger]
    ) throws {
        let host = try HapticBoard(openPort(port))
        defer { host.close() }
        for (actuator, locality) in zip(0..<host.welcome.actuators, localities) {
            var configuration = ActuatorConfiguration.coinLRA
            configuration.locality = locality
            try host.configure(actuator, configuration)
        }
    }
}

/// A board with several actuators, and the engines that use it.
private struct Controller {
    typealias Playing = (engine: HapticEngine, player: any HapticAdvancedPatternPlayer)

    let board: LiveBoard
    let calls = CallLog()
    let device: HapticDevice

    init(actuators: Int = 2, streams: Int? = nil) throws {
        board = try LiveBoard(
            "--actuators", "\(actuators)", "--streams", "\(streams ?? actuators)")
        try board.placeActuators()
        device = .port(board.port)
    }

    func engine(_ locality: HapticLocality) -> HapticEngine {
        let engine = HapticEngine(device: device, locality: locality)
        let name = locality.rawValue
        engine.stoppedHandler = { [calls] in calls.record("\(name) stopped \($0)") }
        engine.resetHandler = { [calls] in calls.record("\(name) reset") }
        return engine
    }

    /// Returns an engine that has started, and a player that holds a level on the engine.
    func playing(_ intensity: Double, at locality: HapticLocality) throws -> Playing {
        let engine = engine(locality)
        try engine.start()
        let player = try engine.makeAdvancedPlayer(with: .held(intensity))
        try player.start(atTime: CHHapticTimeImmediate)
        return (engine, player)
    }

    /// Starts an engine on each handle, and checks that the actuators of both handles are driven.
    func playingBoth() throws -> (left: Playing, right: Playing) {
        let both = (try playing(0.5, at: .leftHandle), try playing(0.25, at: .rightHandle))
        #expect(waitFor([128, 64]))
        return both
    }

    func waitFor(_ levels: [Int]) -> Bool {
        wait {
            let present = board.levels
            return levels.indices.allSatisfy { present[$0] ?? 0 == levels[$0] }
        }
    }
}

@Suite(.virtualTime) struct EnginesOfOneBoardTests {
    @Test func eachIsFeltAtItsLocalityAndStopsAlone() async throws {
        let controller = try Controller()
        let (left, right) = try controller.playingBoth()
        try await left.engine.stop()
        #expect(controller.board.isAtRest(0))
        #expect(controller.board.levels[1] == 64)
        let half = CHHapticDynamicParameter(
            parameterID: .hapticIntensityControl, value: 0.5, relativeTime: 0)
        try right.player.sendParameters([half], atTime: CHHapticTimeImmediate)
        #expect(controller.waitFor([0, 32]))
        try await right.engine.stop()
        #expect(controller.board.isAtRest(0) && controller.board.isAtRest(1))
        #expect(controller.calls.all == [], "stopped engines call no handler")
        try HapticBoard(openPort(controller.board.port)).close()
    }

    @Test func oneStartsAgainWhileAnotherRuns() async throws {
        let controller = try Controller()
        let (left, right) = try controller.playingBoth()
        try await left.engine.stop()
        try await left.engine.start()
        try left.player.start(atTime: CHHapticTimeImmediate)
        #expect(controller.waitFor([128, 64]))
        try await right.engine.stop()
        #expect(controller.board.levels[0] == 128)
        try await left.engine.stop()
    }

    @Test func aMutedOneLeavesTheOtherFelt() async throws {
        let controller = try Controller()
        let (left, right) = try controller.playingBoth()
        left.engine.isMutedForHaptics = true
        #expect(controller.waitFor([0, 64]))
        left.engine.isMutedForHaptics = false
        #expect(controller.waitFor([128, 64]))
        left.engine.isMutedForHaptics = true
        #expect(controller.waitFor([0, 64]))
        try await left.engine.stop()
        let another = try controller.playing(1, at: .leftHandle)
        #expect(
            controller.waitFor([255, 64]),
            "the muting of one engine does not apply to the next engine"
        )
        try await another.engine.stop()
        try await right.engine.stop()
    }

    @Test func enginesOnTheSameActuatorAreMixedAndEachStopsAlone() async throws {
        let controller = try Controller()
        let left = try controller.playing(0.25, at: .leftHandle)
        let louder = try controller.playing(0.5, at: .leftHandle)
        #expect(controller.waitFor([128, 0]))
        louder.engine.isMutedForHaptics = true
        #expect(controller.waitFor([64, 0]))
        louder.engine.isMutedForHaptics = false
        #expect(controller.waitFor([128, 0]))
        try await louder.engine.stop()
        #expect(controller.board.levels[0] == 64, "the other engine continues")
        try await left.engine.stop()
        #expect(controller.board.isAtRest(0))
    }

    @Test func enginesWhoseActuatorsOverlapAreMixedWhereTheyDo() async throws {
        let controller = try Controller()
        let left = try controller.playing(0.5, at: .leftHandle)
        let all = try controller.playing(0.25, at: .all)
        #expect(controller.waitFor([128, 64]))
        try await left.engine.stop()
        #expect(controller.waitFor([64, 64]))
        try await all.engine.stop()
        let both = try controller.playing(0.25, at: .all)
        #expect(controller.waitFor([64, 64]))
        let part = try controller.playing(0.5, at: .rightHandle)
        #expect(controller.waitFor([64, 128]), "the stream of both actuators was divided")
        try await both.engine.stop()
        #expect(controller.waitFor([0, 128]))
        try await part.engine.stop()
        #expect(controller.calls.all == [])
    }

    @Test func aBoardOfOneStreamPlaysForOneAtATime() async throws {
        let controller = try Controller(streams: 1)
        let left = try controller.playing(0.5, at: .leftHandle)
        let right = controller.engine(.rightHandle)
        let error = await #expect(throws: HapticError.self) { try await right.start() }
        #expect("\(error!)".contains("plays at most 1 stream at the same time"))
        #expect(controller.waitFor([128, 0]))
        try await left.engine.stop()
        try await right.start()
        try await right.stop()
    }

    @Test func aResetIsReportedToEachAndEachStartsAgain() async throws {
        let controller = try Controller()
        let (left, right) = try controller.playingBoth()
        controller.board.reset()
        #expect(wait { controller.calls.all.count == 2 })
        #expect(Set(controller.calls.all) == ["leftHandle reset", "rightHandle reset"])
        try await right.engine.stop()
        try await left.engine.start()
        let fresh = try left.engine.makePlayer(with: .held(1))
        try fresh.start(atTime: CHHapticTimeImmediate)
        #expect(controller.waitFor([255, 0]))
        try await left.engine.stop()
    }

    @Test func aCableThatIsPulledEndsThemAll() throws {
        let controller = try Controller()
        let (left, right) = try controller.playingBoth()
        _ = controller.board.end()
        #expect(wait { controller.calls.all.count == 2 })
        #expect(
            Set(controller.calls.all)
                == ["leftHandle stopped systemError", "rightHandle stopped systemError"])
        withExtendedLifetime((left, right)) {}
    }

    @Test func theFirstOnesStopDoesNotTakeTheBoardFromOneThatIsStarting() async throws {
        let controller = try Controller(actuators: 4)
        let localities: [HapticLocality] = [
            .leftHandle, .rightHandle, .leftTrigger, .rightTrigger,
        ]
        let engines = localities.map(controller.engine)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, engine) in engines.enumerated() {
                group.addTask {
                    for _ in 0..<5 + number {
                        try await engine.start()
                        let player = try engine.makePlayer(with: .held(0.5))
                        try player.start(atTime: CHHapticTimeImmediate)
                        try await engine.stop()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(controller.board.levels.values.allSatisfy { $0 == 0 })
        #expect(controller.calls.all == [])
        try HapticBoard(openPort(controller.board.port)).close()
    }

    @Test func whoeverStartedLastIsFeltWhileOthersSendAllTheTime() async throws {
        let controller = try Controller(actuators: 4)
        let others = try [HapticLocality.leftHandle, .rightHandle, .leftTrigger].map {
            try controller.playing(0.8, at: $0)
        }
        let last = controller.engine(.rightTrigger)
        try await last.start()
        let isOver = LockedValue(false)
        for case let player as EnginePlayer in others.map(\.player) {
            Thread.start("test", qualityOfService: .default) {
                var value: Float = 0
                while !isOver.withLock({ $0 }) {
                    value = value > 0.9 ? 0.1 : value + 0.01
                    let parameter = CHHapticDynamicParameter(
                        parameterID: .hapticIntensityControl, value: value, relativeTime: 0)
                    try? player.sendParameters([parameter], atTime: CHHapticTimeImmediate)
                    pause(1_000)
                }
            }
        }
        let taps = (0..<200).map { number in
            let share = Float(number * 37 % 101) / 101
            let intensity = CHHapticEventParameter(
                parameterID: .hapticIntensity, value: 0.3 + 0.6 * share)
            let time: TimeInterval = Double(number) / 100
            return CHHapticEvent(
                eventType: .hapticTransient, parameters: [intensity], relativeTime: time)
        }
        let player = try last.makeAdvancedPlayer(
            with: CHHapticPattern(events: taps, parameters: []))
        player.completionHandler = { [calls = controller.calls] _ in calls.record("over") }
        try player.start(atTime: CHHapticTimeImmediate)
        #expect(wait { controller.calls.all == ["over"] })
        isOver.withLock { $0 = true }
        let felt = controller.board.transactions.count {
            $0.actuator == 3 && $0.write?.register == 2 && $0.write!.value > 0
        }
        #expect(felt >= 100, "a busy computer may lose some of the taps")
        for engine in others.map(\.engine) + [last] { try await engine.stop() }
    }

    // MARK: Event memory

    @Test func memoryThatIsLeftInPiecesIsEnough() async throws {
        let controller = try Controller(actuators: 4)
        let engines = [HapticLocality.leftHandle, .leftTrigger, .rightHandle, .rightTrigger]
            .map(controller.engine)
        for engine in engines { try await engine.start() }
        try await engines[0].stop()
        try await engines[2].stop()
        let both = controller.engine(.handles)
        try await both.start()
        for engine in engines + [both] { try await engine.stop() }
    }

    @Test(arguments: [2, 3])
    func localitiesOfSeveralActuatorsLeaveEnoughForTheOthers(_ count: Int) async throws {
        let localities =
            Array(repeating: Locality.leftHandle, count: count)
            + [.rightHandle, .leftTrigger, .rightTrigger]
        let number = "\(localities.count)"
        let board = try LiveBoard("--actuators", number, "--streams", number)
        try board.placeActuators(at: localities)
        let engines = [HapticLocality.leftHandle, .rightHandle, .leftTrigger, .rightTrigger]
            .map { HapticEngine(device: .port(board.port), locality: $0) }
        for engine in engines { try await engine.start() }
        for engine in engines { try await engine.stop() }
    }

    // MARK: One board with several names

    @Test func aPortHasOneConnectionWhateverPathLeadsToIt() async throws {
        let controller = try Controller()
        let folder = Folder()
        let link = folder.url.appendingPathComponent("board").path
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: controller.board.port)
        let left = try controller.playing(0.5, at: .leftHandle)
        let right = HapticEngine(device: .port(link), locality: .rightHandle)
        try await right.start()
        #expect(controller.waitFor([128, 0]))
        try await right.stop()
        try await left.engine.stop()
    }

    @Test func aSearchAndAPortThatLeadToOneBoardAtOnceShareIt() throws {
        let controller = try Controller()
        let calls = controller.calls
        let port = controller.board.port
        let mayGoOn = hostClock.makeSemaphore()
        let automatic = HapticDevice(
            name: "searched", identity: { .automatic }, servedPort: nil,
            connect: { _ in
                calls.record("searches")
                mayGoOn.wait()
                return try HapticBoard(openPort(port))
            })
        let left = HapticEngine(device: automatic, locality: .leftHandle)
        left.start { calls.record($0 == nil ? "found" : "not found") }
        #expect(wait { calls.has("searches") })
        let right = controller.engine(.rightHandle)
        right.start { calls.record($0 == nil ? "shared" : "rejected") }
        mayGoOn.signal()
        #expect(wait { calls.has("found") && calls.has("shared") }, "\(calls.all)")
        try right.core.play(HapticPattern.held(0.5))
        #expect(controller.waitFor([0, 128]))
        left.stop(completionHandler: nil)
        right.stop(completionHandler: nil)
    }

    @Test func whereABoardIsFeltIsKnownWhileItPlays() async throws {
        let controller = try Controller()
        let left = try controller.playing(0.5, at: .leftHandle)
        let all: Set<HapticLocality> = [.leftHandle, .rightHandle, .handles, .all, .default]
        #expect(controller.device.supportedLocalities == all)
        #expect(controller.waitFor([128, 0]))
        try await left.engine.stop()
        #expect(controller.device.supportedLocalities == all)
        try HapticBoard(openPort(controller.board.port)).close()
    }

    // MARK: Generators without an engine

    @Test func feedbackIsFeltWhileAnEnginePlays() async throws {
        let controller = try Controller()
        let left = try controller.playing(0.25, at: .leftHandle)
        let feedback = HapticEngine.forFeedback(on: controller.device)
        feedback.feedback.prepare()
        #expect(wait { feedback.isRunning })
        feedback.feedback.play(HapticPattern.held(0.5, for: 400_000))
        #expect(controller.waitFor([128, 128]))
        #expect(controller.waitFor([64, 0]), "the engine continues")
        try await left.engine.stop()
        try await feedback.stop()
    }
}
