// ServerProgram: starts the program that serves a board in a process of its own.

import Foundation
import POSIX
import SerialPorts

/// The `bridge` tool, which serves a board for as long as any program uses it.
///
/// A board that a program served itself would fall silent for all when that program is killed.
struct ServerProgram {
    /// The environment variable that names the tool; empty where programs serve boards themselves.
    static let variable = "BRIDGE_SERVER"

    private let path: String
    /// The flag of `posix_spawn` for a session of its own.
    #if os(Linux)
        private static let newSession: Int16 = 0x80
    #else
        private static let newSession = Int16(POSIX_SPAWN_SETSID)
    #endif

    /// Finds the tool: the one that `BRIDGE_SERVER` names, or else the one beside the running
    /// program, or else the one in `PATH`. Nil if there is none.
    init?(_ variables: [String: String] = HostProgram.current.environment) {
        if let named = variables[Self.variable] {
            guard !named.isEmpty else { return nil }
            path = named
            return
        }
        let own = Bundle.main.executableURL?.deletingLastPathComponent().path
        let folders =
            [own].compactMap(\.self)
            + (variables["PATH"] ?? "").split(separator: ":").map(String.init)
        let found = folders.lazy.map { $0 + "/bridge" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let found else { return nil }
        path = found
    }

    /// Starts the tool in a session of its own, so that it survives this program and its terminal.
    ///
    /// - Returns: the process; nil if it cannot be started.
    func start(port: String) -> Started? {
        let words = [path, "serve", "--port", port, "--until-idle"]
        if let launch = HostProgram.current.launch { return launch(words).map(Started.init) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Self.newSession)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        guard posix_spawn(&process, path, &actions, &attributes, &arguments, environ) == 0 else {
            return nil
        }
        return Started(process)
    }

    /// The process that was started.
    final class Started: Sendable {
        private let runs: @Sendable () -> Bool

        fileprivate init(_ process: pid_t) {
            let hasEnded = LockedValue(false)
            runs = { !hasEnded.withLock { $0 } }
            // The process is waited for, so that its number is free again after its end.
            Thread.start("haptic-bridge.wait", qualityOfService: .utility) {
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                hasEnded.withLock { $0 = true }
            }
        }

        fileprivate init(_ runs: @escaping @Sendable () -> Bool) { self.runs = runs }

        var isRunning: Bool { runs() }
    }
}
