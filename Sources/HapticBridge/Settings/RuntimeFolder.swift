// RuntimeFolder: where programs of one user find each other while they run.

import Foundation
import POSIX

/// The folder for files that programs of the user share as long as they run.
enum RuntimeFolder {
    /// The path of the folder: `haptic-bridge` in `XDG_RUNTIME_DIR`, which only the user can enter
    /// and which is empty after a restart; without it in the user's own temporary folder on macOS,
    /// and otherwise in `/tmp` under the user's number.
    static var path: String {
        let variable = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"]
        if let variable, variable.hasPrefix("/") { return variable + "/haptic-bridge" }
        #if os(macOS)
            return NSTemporaryDirectory() + "haptic-bridge"
        #else
            return "/tmp/haptic-bridge-\(getuid())"
        #endif
    }
}
