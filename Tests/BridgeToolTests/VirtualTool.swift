// VirtualTool: the tool in virtual time, in the process of the tests.

import TestSupport
import Testing
import ToolSupport

@testable import bridge

extension Trait where Self == VirtualTime {
    /// A trait that runs each test, and the tool that the test starts, in virtual time.
    static var virtualTool: VirtualTime {
        VirtualProgram.registerTool()
        return .virtualTime
    }
}

extension VirtualProgram {
    /// Registers the tool, so that tests can run it in their own process in virtual time.
    static func registerTool() {
        register("bridge", .init(run: { Bridge.run($0) }, signal: { Interruption.record($0) }))
    }
}
