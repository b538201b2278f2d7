// The tool inside the process of the tests, in virtual time.

import TestSupport
import Testing
import ToolSupport

@testable import bridge

extension Trait where Self == VirtualTime {
    /// Runs each test, and the tool that it starts, in virtual time.
    static var virtualTool: VirtualTime {
        VirtualProgram.registerTool()
        return .virtualTime
    }
}

extension VirtualProgram {
    /// Registers the tool to run in the process of tests in virtual time.
    static func registerTool() {
        register("bridge", .init(run: { Bridge.run($0) }, signal: { Interruption.record($0) }))
    }
}
