// Tool: runs the built programs as a user would, and tells what came of it.

import Foundation

/// What a finished program left.
struct Outcome {
    let status: Int32
    /// Whether a signal ended it rather than an exit.
    let wasKilled: Bool
    let output: String
    let errors: String
    /// Each line of the output as a JSON object.
    var objects: [[String: Any]] {
        output.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }
}

/// The programs beside the test bundle.
enum Tool {
    /// Runs `bridge` to its end.
    static func bridge(
        _ arguments: String..., input: Data? = nil, environment: [String: String] = [:]
    ) throws -> Outcome {
        try RunningTool("bridge", arguments, input: input, environment: environment).outcome()
    }

    /// A program of the build.
    static func executable(_ name: String) -> URL {
        buildFolder.appendingPathComponent(name)
    }

    /// The folder that holds the test bundle, and the programs of the same build.
    private static let buildFolder: URL = {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") }
        var url = URL(fileURLWithPath: bundle ?? CommandLine.arguments[0])
        while url.pathComponents.contains(where: { $0.hasSuffix(".xctest") }) {
            url.deleteLastPathComponent()
        }
        return bundle == nil ? url.deletingLastPathComponent() : url
    }()
}

/// A program that runs, with its outputs in files, so that it never waits for a reader.
final class RunningTool {
    let process = Process()
    private let folder = Folder()

    init(
        _ name: String, _ arguments: [String], input: Data? = nil,
        environment: [String: String] = [:]
    ) throws {
        process.executableURL = Tool.executable(name)
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment
        variables["BRIDGE_PORT"] = nil
        process.environment = variables.merging(environment) { $1 }
        process.standardInput = try FileHandle(
            forReadingFrom: folder.write("stdin", input ?? Data()))
        process.standardOutput = try FileHandle(forWritingTo: folder.write("stdout", Data()))
        process.standardError = try FileHandle(forWritingTo: folder.write("stderr", Data()))
        try process.run()
    }

    /// What was printed so far.
    var output: String { folder.text("stdout") }

    func signal(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the end, which no program here is far from.
    func outcome() -> Outcome {
        if !wait(seconds: 30, until: { !process.isRunning }) { signal(SIGKILL) }
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus,
            wasKilled: process.terminationReason == .uncaughtSignal,
            output: output, errors: folder.text("stderr"))
    }
}

/// A folder that goes away with its owner.
final class Folder {
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("bridge-tool-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    @discardableResult
    func write(_ name: String, _ data: Data) throws -> URL {
        let file = url.appendingPathComponent(name)
        try data.write(to: file)
        return file
    }

    /// Writes a text and returns its path.
    func write(_ name: String, _ text: String) throws -> String {
        try write(name, Data(text.utf8)).path
    }

    func text(_ name: String) -> String {
        (try? String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)) ?? ""
    }
}

/// Waits until something holds; false if it does not within some seconds.
func wait(seconds: Double, until condition: () -> Bool) -> Bool {
    let deadline = Date().addingTimeInterval(seconds)
    while !condition() {
        guard Date() < deadline else { return false }
        usleep(5_000)
    }
    return true
}
