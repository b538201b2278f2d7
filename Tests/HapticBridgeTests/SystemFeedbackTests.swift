// The named patterns, as the modelled actuators render them.

import AHAP
import BridgeLink
import HapticCompiler
import Prediction
import TestSupport
import Testing

@testable import HapticBridge

@Suite struct SystemFeedbackTests {
    /// Returns the number of pulses in a named pattern.
    private static func pulseCount(_ feedback: SystemFeedback) -> Int {
        switch feedback {
        case .success, .warning, .watchDirectionUp, .watchDirectionDown, .watchFailure, .watchStop:
            2
        case .watchNotification, .watchSuccess, .watchRetry: 3
        case .error: 4
        default: 1
        }
    }

    @Test(arguments: SystemFeedback.allCases)
    func itsPulsesAreDistinctOnBothKindsOfActuator(_ feedback: SystemFeedback) throws {
        for kind in [ActuatorKind.lra, .erm] {
            let pulses = try FeltAcceleration(of: feedback.pattern.value, on: kind).pulses
            #expect(pulses.count == Self.pulseCount(feedback), "\(kind)")
            #expect(pulses.allSatisfy { $0.peak > 0.1 }, "\(kind): in g")
            #expect(pulses.allSatisfy { $0.valley < 0.25 }, "\(kind): of the weaker neighbour")
        }
    }

    @Test(arguments: [
        (SystemFeedback.success, [0, 1]), (.watchDirectionUp, [0, 1]), (.watchSuccess, [0, 1, 2]),
        (.warning, [1, 0]), (.watchDirectionDown, [1, 0]),
    ])
    func whatRisesIsFeltToRiseAndWhatFallsToFall(_ feedback: SystemFeedback, order: [Int]) throws {
        for kind in [ActuatorKind.lra, .erm] {
            let pulses = try FeltAcceleration(of: feedback.pattern.value, on: kind).pulses
            let peaks = pulses.map(\.peak)
            let sorted = order.map { peaks[$0] }
            for (weaker, stronger) in zip(sorted, sorted.dropFirst()) {
                #expect(stronger > 1.15 * weaker, "\(kind)")
            }
        }
    }

    @Test(arguments: SystemFeedback.allCases)
    func itsFileIsStrictAndSaysWhereItComesFrom(_ feedback: SystemFeedback) throws {
        let read = try AHAPReader.read(Array(feedback.file), options: .init(strict: true))
        #expect(AHAPLinter.diagnostics(on: read).isEmpty)
        #expect(read.pattern == feedback.pattern.value)
        #expect(!feedback.summary.isEmpty)
        #expect(feedback.provenance.hasPrefix("Written for Haptic Bridge;"))
    }

    // MARK: Generators

    @Test func generatorsPlayWhatTheirNamesSay() throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        let notification = UINotificationFeedbackGenerator(engine: engine)
        notification.prepare()
        #expect(wait { engine.isRunning })
        notification.notificationOccurred(.success)
        #expect(wait { board.levels(since: 0).count >= 2 })
        #expect(board.levels(since: 0) == [191, 255])
        UISelectionFeedbackGenerator(engine: engine).selectionChanged()
        #expect(wait { board.levels(since: 0).last == 179 })
        #expect(wait { board.isAtRest })
    }

    @Test func anImpactIsAsStrongAsItIsTold() throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        try engine.start()
        let impact = UIImpactFeedbackGenerator(style: .heavy, engine: engine)
        for (count, intensity) in [1, 0.5, 7, -1].enumerated() {
            impact.impactOccurred(intensity: intensity)
            #expect(wait { board.levels(since: 0).count > count || intensity < 0 })
        }
        #expect(wait { board.isAtRest })
        #expect(board.levels(since: 0) == [255, 128, 255])
    }

    @Test func aGeneratorWithoutABoardDoesNothing() {
        let impact = ImpactFeedbackGenerator(engine: HapticEngine(device: .port("/nowhere")))
        impact.prepare()
        impact.impactOccurred()
    }
}
