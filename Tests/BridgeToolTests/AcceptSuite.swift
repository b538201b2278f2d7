// AcceptSuite: a suite that runs `bridge accept`, for suites with the trait `.virtualTool`.

import TestSupport

/// A suite of tests of `bridge accept`. Each test has its own report.
protocol AcceptSuite {
    /// The folder that contains the report.
    var folder: Folder { get }
}

extension AcceptSuite {
    /// The path of the report.
    var report: String { folder.path("report.json") }

    /// Runs `bridge accept` with a board until the acceptance test ends.
    func accept(_ board: LiveBoard, _ options: String...) throws -> Outcome {
        try RunningTool(
            Tool.executable("bridge"), ["accept", report, "--port", board.port] + options
        ).outcome()
    }
}
