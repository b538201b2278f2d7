// Tests of the client package's programs that are modeled on public programs. Each program uses a
// virtual board, and the requested levels must reach the bus.

import Foundation
import TestSupport
import Testing

extension ClientTests {
    /// A type of program, and the nonzero levels that the program requests.
    struct Shape: CustomTestStringConvertible, Sendable {
        let name: String
        let levels: [Int]
        var program = "shapes5"
        /// The level at which the test resets the board; nil if the test does not reset the board.
        var held: Int?
        var output = ""
        var testDescription: String { name }
    }

    static let shapes = [
        Shape(name: "cFunctions", levels: [204, 255]),
        Shape(name: "serviceWithReset", levels: [230, 102], held: 230),
        Shape(name: "playground", levels: [102, 153, 204, 230, 102], held: 230),
        Shape(name: "sharedTaps", levels: [102, 153, 255]),
        Shape(name: "tapHelper", levels: [204]),
        Shape(name: "controllersInTurn", levels: [102, 204]),
        Shape(name: "curvesFromOutside", levels: [102, 51]),
        Shape(name: "filesBesideSounds", levels: [255, 204, 102]),
        Shape(name: "clipPlayer", levels: [153, 51]),
        Shape(name: "resourceManager", levels: [204, 230, 204], held: 230),
        Shape(name: "loopedJSON", levels: [255, 255, 255]),
        Shape(name: "loopedModule", levels: [204, 204]),
        Shape(name: "codablePattern", levels: [153, 153]),
        Shape(name: "vibrateForMilliseconds", levels: [255]),
        Shape(name: "notation", levels: [255, 102, 255]),
        Shape(name: "engineExtension", levels: [204, 102]),
        Shape(name: "mainActorManager", levels: [230, 102], held: 230),
        Shape(name: "nativeModule", levels: [204, 102], output: "invalid event type\n"),
        Shape(name: "decodableSubclasses", levels: [204, 102]),
        Shape(name: "endlessUntilStopped", levels: [102, 204]),
        Shape(name: "sampler", levels: [255, 153]),
        Shape(name: "customHaptics", levels: [255, 102]),
        Shape(name: "priorities", levels: [204]),
        Shape(name: "dial", levels: [102, 204, 153]),
        Shape(name: "expoModule", levels: [255, 153, 51], output: "invalid parameter type\n"),
        Shape(name: "actorOwnedEngine", levels: [204, 102]),
        Shape(name: "opaqueBridge", levels: [153, 204, 204]),
        Shape(name: "gameEnginePlugin", levels: [204, 102]),
        Shape(
            name: "oldSampler", levels: [153, 153],
            output: "There is no Sparkle in the bundle.\n"),
        Shape(name: "typedPatterns", levels: [102, 204], program: "shapes6"),
        Shape(name: "streamedFiles", levels: [204, 102], program: "shapes6"),
        Shape(name: "presets", levels: [255, 153], program: "shapes6"),
        Shape(
            name: "platformFeedback", levels: [82, 230, 82, 140, 255, 126], program: "shapes6",
            output: "[2]\n"),
    ]

    @Test(arguments: shapes) func aShapePlaysWhatItMeansTo(_ shape: Shape) throws {
        let board = try LiveBoard()
        let program = try RunningTool(
            program(shape.program), [shape.name], environment: ["BRIDGE_PORT": board.port])
        if let held = shape.held {
            #expect(wait { board.level == held || !program.isRunning })
            board.reset()
        }
        let outcome = program.outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == shape.output)
        #expect(board.levels(since: 0) == shape.levels)
        #expect(wait { board.isAtRest })
    }
}
