// RunningTool: runs the built programs as a user would, and tells what came of it.

import Foundation

/// What a finished program left.
public struct Outcome {
    public let status: Int32
    /// Whether a signal ended it rather than an exit.
    public let wasKilled: Bool
    public let output: String
    public let errors: String
    /// Whether a certain signal ended it.
    public func wasEnded(by signal: Int32) -> Bool { wasKilled && status == signal }
    /// Each line of the output as a JSON object.
    public var objects: [[String: Any]] {
        output.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }
}

/// The programs beside the test bundle.
public enum Tool {
    /// Runs `bridge` to its end.
    public static func bridge(
        _ arguments: String..., input: Data? = nil, environment: [String: String] = [:]
    ) throws -> Outcome {
        try RunningTool(
            executable("bridge"), arguments, input: input, environment: environment
        ).outcome()
    }

    /// A program of the build.
    public static func executable(_ name: String) -> URL {
        buildFolder.appendingPathComponent(name)
    }

    /// The folder that holds the test bundle, and the programs and modules of the same build.
    public static let buildFolder: URL = {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") }
        var url = URL(fileURLWithPath: bundle ?? CommandLine.arguments[0])
        while url.pathComponents.contains(where: { $0.hasSuffix(".xctest") }) {
            url.deleteLastPathComponent()
        }
        return bundle == nil ? url.deletingLastPathComponent() : url
    }()
}

/// A program that runs, with its outputs in files, so that it never waits for a reader.
public final class RunningTool {
    public let process = Process()
    private let folder = Folder()

    public init(
        _ program: URL, _ arguments: [String], input: Data? = nil,
        environment: [String: String] = [:], in workingFolder: URL? = nil
    ) throws {
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
    }

    /// What was printed so far.
    public var output: String { folder.text("stdout") }
    /// What was printed on standard error so far.
    public var errors: String { folder.text("stderr") }

    /// Does nothing once it has ended.
    public func signal(_ signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }

    /// Waits for the end, which no program here is far from.
    public func outcome(within seconds: Double = 60) -> Outcome {
        if !wait(seconds: seconds, until: { !process.isRunning }) { signal(SIGKILL) }
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus,
            wasKilled: process.terminationReason == .uncaughtSignal,
            output: output, errors: errors)
    }
}
