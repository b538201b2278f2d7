// ServerProgram: starts the separate process that serves a board.

import Foundation
import POSIX
import SerialPorts

/// The `bridge` tool, which serves a board for as long as any program uses it.
///
/// A separate process is preferred: if a program serves a board itself and is killed, the board
/// stops playing for all programs.
package struct ServerProgram {
    /// The environment variable that names the tool. If the variable is empty, programs serve
    /// boards themselves.
    package static let variable = "BRIDGE_SERVER"

    package let path: String

    package init(path: String) { self.path = path }

    /// Finds the tool: the program that `BRIDGE_SERVER` names, otherwise the tool in the folder of
    /// the running program, otherwise `haptic-bridge` in `PATH`. `PATH` is not searched for the
    /// name `bridge`, because another program may have this name. The result is nil if there is no
    /// tool.
    ///
    /// - Parameter own: the folder of the running program; nil if the folder is unknown.
    package init?(
        _ variables: [String: String] = HostProgram.current.environment,
        beside own: String? = Bundle.main.executableURL?.deletingLastPathComponent().path
    ) {
        if let named = variables[Self.variable] {
            guard !named.isEmpty else { return nil }
            path = URL(fileURLWithPath: named).path
            return
        }
        let folders = (variables["PATH"] ?? "").split(separator: ":").map(String.init)
        let paths =
            (own.map { [$0 + "/haptic-bridge", $0 + "/bridge"] } ?? [])
            + folders.filter { $0.hasPrefix("/") }.map { $0 + "/haptic-bridge" }
        let found = paths.first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let found else { return nil }
        path = found
    }

    /// Starts the tool in a new session, so that it outlives this program and its terminal. The
    /// tool inherits neither file descriptors nor signal settings from this program. The working
    /// folder of the tool is `/`, so that the tool does not prevent any volume from being
    /// unmounted.
    ///
    /// - Returns: the process; nil if the tool cannot be started.
    func start(port: String) -> Started? {
        let portPath = URL(fileURLWithPath: port).path
        let words = [path, "serve", "--port", portPath, "--until-idle"]
        if let launch = HostProgram.current.launch { return launch(words).map(Started.init) }
        #if os(Linux)
            var attributes = posix_spawnattr_t()
            var actions = posix_spawn_file_actions_t()
            // The flag 0x80 makes the process begin a new session.
            let flags = 0x80 | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        #else
            var attributes: posix_spawnattr_t?
            var actions: posix_spawn_file_actions_t?
            let flags =
                POSIX_SPAWN_SETSID | POSIX_SPAWN_CLOEXEC_DEFAULT | POSIX_SPAWN_SETSIGDEF
                | POSIX_SPAWN_SETSIGMASK
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        #if os(Linux)
            let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            for descriptor in (open ?? []).compactMap({ Int32($0) })
            where descriptor > STDERR_FILENO {
                posix_spawn_file_actions_addclose(&actions, descriptor)
            }
        #endif
        let shell = ["/bin/sh", "-c", "cd / && exec \"$0\" \"$@\""]
        var arguments = (shell + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        guard posix_spawn(&process, shell[0], &actions, &attributes, &arguments, environ) == 0
        else {
            return nil
        }
        return Started(process)
    }

    /// The started process.
    final class Started: Sendable {
        private let ask: @Sendable () -> Int32?

        fileprivate init(_ process: pid_t) {
            let ended = LockedValue<Int32?>(nil)
            ask = { ended.withLock { $0 } }
            // A thread waits for the process, so that the system can release the process id after
            // the process has ended.
            Thread.start("haptic-bridge.wait", qualityOfService: .utility) {
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                let signal = status & 0x7F
                ended.withLock { [status] in $0 = signal == 0 ? status >> 8 : 128 + signal }
            }
        }

        fileprivate init(_ status: @escaping @Sendable () -> Int32?) { ask = status }

        /// The exit status; nil while the process is running.
        var status: Int32? { ask() }
    }
}
