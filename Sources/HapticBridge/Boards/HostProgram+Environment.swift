// The environment of a program.

import Foundation
import SerialPorts

extension HostProgram {
    /// The variables of the environment.
    package var environment: [String: String] {
        ProcessInfo.processInfo.environment.merging(variables) { $1 }
    }
}
