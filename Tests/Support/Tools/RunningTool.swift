// RunningTool: runs the built programs as a user would, and reports the results.

import Foundation
import SerialPorts
import Synchronization

/// A running program whose outputs go to files, so that it never waits for a reader. In virtual time,
/// a registered program runs in this process.
public final class RunningTool {
    private enum Program {
        case process(Process)
        case thread(VirtualProgram)
    }

    private let program: Program
    /// The far end of a terminal at which the program reads; nil if it reads a file.
    private var keyboard: FileHandle?
    private let folder = Folder()
    private let streams: HostProgram.Streams

    /// Tests serve boards in their own process, so that nothing outlives them, unless they say
    /// otherwise to a program that they start. It is set before the first program starts, because
    /// the environment must not change while another thread copies it.
    private static let servesHere: Void = { _ = setenv("BRIDGE_SERVER", "", 0) }()

    /// - Parameter typed: what a person types at the terminal of the program; nil if its input is a
    ///   file.
    public init(
        _ program: URL, _ arguments: [String], input: Data? = nil,
        environment: [String: String] = [:], in workingFolder: URL? = nil, typed: String? = nil
    ) throws {
        Self.servesHere
        let own = ["XDG_CONFIG_HOME": folder.url.path, "XDG_STATE_HOME": folder.url.path]
        let variables = own.merging(environment) { $1 }
        var streams = try Self.streams(in: folder, input)
        if let typed { keyboard = try Self.keyboard(typed, &streams.input) }
        self.streams = streams
        if workingFolder == nil,
            let thread = VirtualProgram(
                program.lastPathComponent, arguments, streams: streams, variables: variables)
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

    /// Makes a terminal at which something was typed. Returns its far end.
    private static func keyboard(_ typed: String, _ input: inout Int32) throws -> FileHandle {
        close(input)
        var master: Int32 = -1
        guard openpty(&master, &input, nil, nil, nil) == 0 else { throw POSIXError(.ENOSPC) }
        let keyboard = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        try keyboard.write(contentsOf: Data(typed.utf8))
        return keyboard
    }

    /// Makes the files of the standard streams.
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
            // Those of a program that still runs stay open: another test might get their numbers.
            guard !isRunning else { return }
            for descriptor in [streams.input, streams.output, streams.errors] { close(descriptor) }
            return
        }
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

    /// The process of a program that has one.
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

    /// The processor time that its process has used, in seconds; 0 where the system does not report it.
    public var processorTime: Double {
        let path = "/proc/\(process.processIdentifier)/stat"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        // The second field, the name, may have spaces.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12])
        else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Sends a signal, unless the program has ended.
    public func signal(_ signal: Int32) {
        guard isRunning else { return }
        switch program {
        case .process(let process): kill(process.processIdentifier, signal)
        case .thread(let thread): thread.signal(signal)
        }
    }

    /// Waits for the program to end, and kills a process that lasts longer than `seconds`.
    public func outcome(within seconds: Double = 60) -> Outcome {
        switch program {
        case .process(let process):
            // Virtual time does not pass for a process.
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
