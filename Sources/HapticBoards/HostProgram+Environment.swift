// The environment of a program.

import Foundation
import POSIX
import SerialPorts

extension HostProgram {
    /// The name and the process id of this process, for messages to users of other programs.
    package static let name =
        "\(ProcessInfo.processInfo.processName) (process \(ProcessInfo.processInfo.processIdentifier))"

    /// The variables of the environment.
    package var environment: [String: String] {
        ProcessInfo.processInfo.environment.merging(variables) { $1 }
    }

    /// Returns the folder in which Haptic Bridge stores one kind of files. This folder is in the
    /// folder that an environment variable names, or otherwise in the user's home folder.
    package func folder(_ variable: String, or path: String) -> String {
        (absolute(variable) ?? home + "/" + path) + "/haptic-bridge"
    }

    /// The user's home folder: the value of `HOME`, or otherwise the entry in the system's user
    /// database.
    private var home: String {
        absolute("HOME") ?? getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) } ?? ""
    }

    /// Returns the absolute path in an environment variable; nil if the variable is not set or
    /// contains a relative path.
    private func absolute(_ variable: String) -> String? {
        environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
