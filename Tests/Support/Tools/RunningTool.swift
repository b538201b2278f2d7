// RunningTool: runs the built programs as a user would, and reports the results.

import Foundation
import Synchronization

/// A running program whose outputs go to files, so that it never waits for a reader.
public final class RunningTool {
    public let process = Process()
    private let folder = Folder()

    /// Tests serve boards in their own process, so that nothing outlives them, unless they say
    /// otherwise to a program that they start. It is set before the first program starts, because
    /// the environment must not change while another thread copies it.
    private static let servesHere: Void = { _ = setenv("BRIDGE_SERVER", "", 0) }()

    public init(
        _ program: URL, _ arguments: [String], input: Data? = nil,
        environment: [String: String] = [:], in workingFolder: URL? = nil
    ) throws {
        Self.servesHere
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = workingFolder
        var variables = ProcessInfo.processInfo.environment
        variables["BRIDGE_PORT"] = nil
        variables["XDG_CONFIG_HOME"] = folder.url.path
        variables["XDG_STATE_HOME"] = folder.url.path
        process.environment = variables.merging(environment) { $1 }
        process.standardInput = try FileHandle(
            forReadingFrom: folder.write("stdin", input ?? Data()))
        process.standardOutput = try FileHandle(forWritingTo: folder.write("stdout", Data()))
        process.standardError = try FileHandle(forWritingTo: folder.write("stderr", Data()))
        try process.run()
        Self.started.withLock { $0.append(process.processIdentifier) }
    }

    deinit {
        let ended = process.processIdentifier
        Self.started.withLock { processes in processes.removeAll { $0 == ended } }
    }

    private static let started = Mutex<[pid_t]>([])

    /// The processes of the programs that were started and are still looked after.
    public static var processes: [pid_t] { started.withLock { $0 } }

    /// Gives the program priority over others, where the system allows it. A board in real time needs
    /// it, and so does its host, which would otherwise be silent for too long.
    public func prefer() {
        #if os(Linux)
            let which = __priority_which_t(PRIO_PROCESS.rawValue)
            setpriority(which, id_t(process.processIdentifier), -10)
        #endif
    }

    /// The text printed to standard output so far.
    public var output: String { folder.text("stdout") }
    /// The text printed to standard error so far.
    public var errors: String { folder.text("stderr") }

    /// Sends a signal, unless the program has ended.
    public func signal(_ signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }

    /// Waits for the program to end, and kills it if it does not end in time.
    public func outcome(within seconds: Double = 60) -> Outcome {
        if !wait(seconds: seconds, until: { !process.isRunning }) { signal(SIGKILL) }
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus,
            wasKilled: process.terminationReason == .uncaughtSignal,
            output: output, errors: errors)
    }
}
