// The environment of a program.

import Foundation
import POSIX
import SerialPorts

extension HostProgram {
    /// The name and the number of this process, by which other programs' users are told of it.
    package static let name =
        "\(ProcessInfo.processInfo.processName) (process \(ProcessInfo.processInfo.processIdentifier))"

    /// The variables of the environment.
    package var environment: [String: String] {
        ProcessInfo.processInfo.environment.merging(variables) { $1 }
    }

    /// Returns the folder of Haptic Bridge for files of a kind: in the folder that a variable names, or
    /// else in one of the user's home.
    package func folder(_ variable: String, or path: String) -> String {
        (absolute(variable) ?? home + "/" + path) + "/haptic-bridge"
    }

    /// The user's home: that of `HOME`, or else of the system's list of users.
    private var home: String {
        absolute("HOME") ?? getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) } ?? ""
    }

    /// Returns the path that a variable holds; nil if there is none, or it depends on the present folder.
    private func absolute(_ variable: String) -> String? {
        environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
