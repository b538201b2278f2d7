// Tests of the named patterns, as modeled actuators render them, and of the generators of these
// patterns.

import AHAP
import BridgeLink
import DRV2605
import Foundation
import HapticCompiler
import TestSupport
import Testing

@testable import HapticBridge

@Suite(.virtualTime) struct SystemFeedbackTests {
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

    @Test(arguments: FeltFeedback.conditions)
    func itsPulsesAreDistinct(_ condition: FeltFeedback.Condition) throws {
        for feedback in SystemFeedback.allCases {
            let pulses = try FeltFeedback.pulses(of: feedback, condition)
            #expect(pulses.count == Self.pulseCount(feedback), "\(feedback)")
            // The minimum is 0.1 g on the motor, whose rated acceleration is 0.8 g.
            #expect(pulses.allSatisfy { $0.level > 0.13 * 255 }, "\(feedback)")
            #expect(
                pulses.allSatisfy { $0.dip > 8 },
                "\(feedback): a dip of at most 8 just-noticeable differences")
        }
    }

    @Test(arguments: FeltFeedback.conditions)
    func eachPatternDiffersFromTheOthersOfItsFamily(
        _ condition: FeltFeedback.Condition
    ) throws {
        for family in SystemFeedback.Family.allCases {
            let patterns = SystemFeedback.allCases.filter { $0.family == family }
            let felt = try patterns.map { try FeltFeedback.pulses(of: $0, condition) }
            for (index, one) in patterns.enumerated() {
                for (other, pulses) in zip(patterns, felt).dropFirst(index + 1) {
                    let difference = FeltDifference(felt[index], pulses)
                    #expect(
                        difference.greatest >= condition.leastDifference,
                        "\(one) and \(other): \(difference)")
                }
            }
        }
    }

    @Test(arguments: FeltFeedback.conditions)
    func eachPatternDiffersFromAllOthers(_ condition: FeltFeedback.Condition) throws {
        let patterns = SystemFeedback.allCases
        let felt = try patterns.map { try FeltFeedback.pulses(of: $0, condition) }
        for (index, one) in patterns.enumerated() {
            for (other, pulses) in zip(patterns, felt).dropFirst(index + 1) {
                let difference = FeltDifference(felt[index], pulses)
                #expect(
                    difference.greatest >= condition.leastDifferenceOfFamilies,
                    "\(one) and \(other): \(difference)")
            }
        }
    }

    @Test(arguments: [
        (SystemFeedback.success, [0, 1]), (.watchDirectionUp, [0, 1]), (.watchSuccess, [0, 1, 2]),
        (.warning, [1, 0]), (.watchDirectionDown, [1, 0]),
    ])
    func whatRisesIsFeltToRiseAndWhatFallsToFall(_ feedback: SystemFeedback, order: [Int]) throws {
        for condition in FeltFeedback.conditions {
            let levels = try FeltFeedback.pulses(of: feedback, condition).map(\.level)
            let sorted = order.map { levels[$0] }
            for (weaker, stronger) in zip(sorted, sorted.dropFirst()) {
                let steps = Fidelity.steps(between: weaker, and: stronger)
                #expect(stronger > weaker && steps > 1.5, "\(condition)")
            }
        }
    }

    @Test(arguments: FeltFeedback.conditions)
    func impactsFeelLikeTheirObjects(_ condition: FeltFeedback.Condition) throws {
        func felt(_ feedback: SystemFeedback) throws -> FeltPulse {
            try #require(FeltFeedback.pulses(of: feedback, condition).first)
        }
        let (light, medium) = (try felt(.impactLight), try felt(.impactMedium))
        let (heavy, rigid) = (try felt(.impactHeavy), try felt(.impactRigid))
        let (soft, selection) = (try felt(.impactSoft), try felt(.selection))
        for (smaller, greater) in [(selection, light), (light, medium), (medium, heavy)] {
            #expect(smaller.level * 1.2 < greater.level && smaller.length < greater.length)
        }
        #expect(rigid.level > 1.2 * medium.level && rigid.level < 1.2 * heavy.level)
        #expect(rigid.length + 10_000 < min(heavy.length, soft.length))
        #expect(soft.length > medium.length + 20_000 && soft.level < heavy.level / 1.5)
    }

    @Test(arguments: SystemFeedback.allCases)
    func itsFileIsStrictAndSaysWhereItComesFrom(_ feedback: SystemFeedback) throws {
        let read = try AHAPReader.read(Array(feedback.file), options: .init(strict: true))
        #expect(AHAPLinter.diagnostics(on: read).isEmpty)
        #expect(read.pattern == feedback.pattern.value)
        #expect(feedback.summary.hasSuffix("."))
        #expect(feedback.provenance.hasPrefix("Written for Haptic Bridge;"))
        #expect(feedback.pattern.value.length < 600_000)
    }

    private static let pages = [
        "NotificationPatterns", "ImpactPatterns", "SelectionPattern", "TrackpadPatterns",
        "WatchPatterns",
    ].map { "Sources/HapticBridge/HapticBridge.docc/\($0).md" }

    @Test(arguments: [pages, ["Sources/bridge/Manual.md"]])
    func itsMeaningIsTheSameWhereverItIsWritten(_ paths: [String]) throws {
        let lines = try paths.flatMap { path in
            try String(contentsOf: PackageFolder.url.appendingPathComponent(path), encoding: .utf8)
                .components(separatedBy: "\n")
        }
        for feedback in SystemFeedback.allCases {
            #expect(!feedback.meaning.isEmpty && !feedback.misuse.isEmpty)
            let row = try #require(lines.first { $0.hasPrefix("| `\(feedback.rawValue)` |") })
            #expect(row.hasSuffix("| \(feedback.meaning) | \(feedback.misuse) |"))
        }
    }

    // MARK: Generators

    @Test(arguments: SystemFeedback.allCases)
    func aToneHasANoteForEachEventOfItsPattern(_ feedback: SystemFeedback) {
        guard let tone = feedback.tone else { return }
        #expect(tone.value.events.map(\.time) == feedback.pattern.value.events.map(\.time))
    }

    @Test func generatorsPlayWhatTheirNamesSay() throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        let notification = NotificationFeedbackGenerator(engine: engine)
        notification.prepare()
        #expect(wait { engine.isRunning })
        notification.notificationOccurred(.success)
        #expect(wait { board.levels(since: 0).count >= 2 })
        #expect(board.levels(since: 0) == [128, 255])
        SelectionFeedbackGenerator(engine: engine).selectionChanged()
        #expect(wait { board.levels(since: 0).last == 51 })
        #expect(wait { board.isAtRest })
    }

    @Test func anImpactHasTheRequestedIntensity() throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        try engine.start()
        let impact = ImpactFeedbackGenerator(style: .heavy, engine: engine)
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
