// RunningTool: a program that a test runs as a user would, and the results of the program.

import Foundation
import SerialPorts
import Synchronization

/// A running program that writes its output to files, so that it never waits for a reader. In
/// virtual time, a registered program runs in this process.
public final class RunningTool {
    private enum Program {
        case process(Process)
        case thread(VirtualProgram)
    }

    private let program: Program
    /// The controlling end of the program's terminal; nil if the program reads from a file.
    private var keyboard: FileHandle?
    private let folder = Folder()
    private let streams: HostProgram.Streams

    /// Makes tests serve boards in their own process, so that no process outlives a test. A test
    /// can override this setting for a program. The variable is set before the first program
    /// starts, because the environment must not change while another thread copies it.
    private static let servesHere: Void = { _ = setenv("BRIDGE_SERVER", "", 0) }()

    /// - Parameters:
    ///   - typed: the text that is typed at the program's terminal; nil if the program's input is a
    ///   file.
    ///   - entry: the entry point that runs instead of the program in virtual time; nil for the
    ///     entry point of the registered program.
    public init(
        _ program: URL, _ arguments: [String], input: Data? = nil,
        environment: [String: String] = [:], in workingFolder: URL? = nil, typed: String? = nil,
        entry: VirtualProgram.Entry? = nil
    ) throws {
        Self.servesHere
        let own = ["XDG_CONFIG_HOME": folder.url.path, "XDG_STATE_HOME": folder.url.path]
        let variables = own.merging(environment) { $1 }
        var streams = try Self.streams(in: folder, input)
        if let typed { keyboard = try Self.keyboard(typed, &streams.input) }
        self.streams = streams
        if workingFolder == nil,
            let entry = entry ?? VirtualProgram.entry(program.lastPathComponent),
            let thread = VirtualProgram(
                entry, arguments, streams: streams, variables: variables)
        {
            self.program = .thread(thread)
            return
        }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = workingFolder
        var all = ProcessInfo.processInfo.environment
        all["BRIDGE_PORT"] = nil
        process.environment = all.merging(variables) { $1 }
        process.standardInput = FileHandle(fileDescriptor: streams.input, closeOnDealloc: true)
        process.standardOutput = FileHandle(fileDescriptor: streams.output, closeOnDealloc: true)
        process.standardError = FileHandle(fileDescriptor: streams.errors, closeOnDealloc: true)
        try process.run()
        self.program = .process(process)
        Self.started.withLock { $0.append(process.processIdentifier) }
    }

    /// Creates a terminal with typed input. Returns the controlling end of the terminal.
    private static func keyboard(_ typed: String, _ input: inout Int32) throws -> FileHandle {
        close(input)
        var master: Int32 = -1
        guard openpty(&master, &input, nil, nil, nil) == 0 else { throw POSIXError(.ENOSPC) }
        let keyboard = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        try keyboard.write(contentsOf: Data(typed.utf8))
        return keyboard
    }

    /// Creates the files for the standard streams.
    private static func streams(in folder: Folder, _ input: Data?) throws -> HostProgram.Streams {
        var streams = HostProgram.Streams()
        try folder.write("stdin", input ?? Data())
        streams.input = open(folder.path("stdin"), O_RDONLY | O_CLOEXEC)
        streams.output = open(folder.path("stdout"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        streams.errors = open(folder.path("stderr"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        return streams
    }

    deinit {
        guard case .process(let process) = program else {
            // The descriptors of a running program remain open, because otherwise another test
            // might be given the same numbers.
            guard !isRunning else { return }
            for descriptor in [streams.input, streams.output, streams.errors] { close(descriptor) }
            return
        }
        let ended = process.processIdentifier
        Self.started.withLock { processes in processes.removeAll { $0 == ended } }
    }

    private static let started = Mutex<[pid_t]>([])

    /// The ids of the started processes that are still supervised.
    public static var processes: [pid_t] { started.withLock { $0 } }

    /// Raises the program's priority if the system allows it. In real time, a board needs this
    /// priority, and its host also needs it in order not to be silent for too long.
    public func prefer() {
        #if os(Linux)
            let which = __priority_which_t(PRIO_PROCESS.rawValue)
            setpriority(which, id_t(process.processIdentifier), -10)
        #endif
    }

    /// The text that the program has printed to standard output so far.
    public var output: String { folder.text("stdout") }
    /// The text that the program has printed to standard error so far.
    public var errors: String { folder.text("stderr") }

    /// The process of the program. The program must not run in virtual time.
    public var process: Process {
        guard case .process(let process) = program else {
            preconditionFailure("the program runs in virtual time and has no process")
        }
        return process
    }

    public var isRunning: Bool {
        switch program {
        case .process(let process): process.isRunning
        case .thread(let thread): thread.status == nil
        }
    }

    /// The processor time that the process has used, in seconds; 0 if the system does not report it.
    public var processorTime: Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process.processIdentifier, &clock) == 0,
            clock_gettime(clock, &time) == 0
        else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    /// Sends a signal, unless the program has ended.
    public func signal(_ signal: Int32) {
        guard isRunning else { return }
        switch program {
        case .process(let process): kill(process.processIdentifier, signal)
        case .thread(let thread): thread.signal(signal)
        }
    }

    /// Waits for the program to end. Kills a process that runs for more than `seconds`.
    public func outcome(within seconds: Double = 60) -> Outcome {
        switch program {
        case .process(let process):
            // A separate process does not use virtual time.
            if !(hostClock is VirtualClock), !wait(seconds: seconds, until: { !isRunning }) {
                signal(SIGKILL)
            }
            process.waitUntilExit()
            return Outcome(
                status: process.terminationStatus,
                wasKilled: process.terminationReason == .uncaughtSignal,
                output: output, errors: errors)
        case .thread(let thread):
            _ = wait(seconds: 3_600) { thread.status != nil }
            return Outcome(
                status: thread.endingSignal ?? thread.status ?? -1,
                wasKilled: thread.endingSignal != nil, output: output, errors: errors)
        }
    }
}
