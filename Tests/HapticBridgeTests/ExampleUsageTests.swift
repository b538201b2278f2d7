// Tests of the examples on computers without a board.

import TestSupport
import Testing

@Suite struct ExampleUsageTests {
    private func run(_ arguments: [String]) throws -> Outcome {
        try RunningTool(
            Tool.executable("examples"), arguments, environment: ["BRIDGE_PORT": "/nowhere"]
        ).outcome()
    }

    @Test func theyRunWithoutABoard() throws {
        let preview = try run(["ball"])
        #expect(preview.status == 0 && preview.output.hasPrefix("a collision at "), "\(preview)")
        #expect(preview.errors.contains("Nothing is felt: ") && preview.errors.contains("/nowhere"))
        #expect(try run(["dial"]).status == 0)
        #expect(try run(["cube"]).status == 64)
    }
}
