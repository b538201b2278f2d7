// BoardProgram: a program that serves a board on a port.

import Foundation

/// A running board program, which is either `virtual-board` or a simulator. The program ends when
/// its owner is released.
public final class BoardProgram {
    /// The path of the port that hosts open.
    public let port: String
    /// The path of the trace file in which the program records the traffic of its bus.
    public let tracePath: String
    private let tool: RunningTool
    private let folder = Folder()

    /// The error thrown if a program does not print its port.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    public init(_ program: URL, _ arguments: [String]) throws {
        tracePath = folder.path("trace")
        let tool = try RunningTool(program, ["--trace", tracePath] + arguments)
        tool.prefer()
        guard
            wait(until: { tool.output.hasSuffix("\n") || !tool.isRunning }),
            tool.output.hasPrefix("device ")
        else {
            tool.signal(SIGKILL)
            throw Failure(description: "\(program.lastPathComponent): \(tool.outcome().errors)")
        }
        port = String(tool.output.split(separator: "\n")[0].dropFirst("device ".count))
        self.tool = tool
    }

    /// Starts a simulator that runs at the pace of the wall clock.
    public convenience init(_ simulator: BoardSimulator, _ options: [String] = []) throws {
        try self.init(simulator.program, options + [simulator.image.path])
    }

    deinit { tool.signal(SIGTERM) }

    /// The bus trace that the program has written so far.
    public var traceText: String { folder.text("trace") }

    /// Presses the reset button of the board; the program must be `virtual-board`.
    public func reset() { tool.signal(SIGUSR1) }

    /// Ends the program and returns its exit status.
    public func end() -> Int32 {
        tool.signal(SIGTERM)
        return tool.outcome().status
    }
}
