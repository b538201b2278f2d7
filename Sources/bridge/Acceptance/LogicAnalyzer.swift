// LogicAnalyzer: records and decodes the wires of a bus with sigrok-cli.

import BridgeLink
import Foundation
import SerialPorts
import ToolSupport

/// Runs sigrok-cli (https://sigrok.org), which supports most logic analyzers and file formats.
enum LogicAnalyzer {
    private static let name = "sigrok-cli"
    /// The maximum time for reading a capture, in microseconds.
    private static let readTimeMax: Microseconds = .milliseconds(120_000)
    /// The maximum size of the text that sigrok-cli prints about a capture, in bytes.
    private static let outputSizeMax = 64 << 20
    /// The maximum size of a file with a capture, in bytes.
    static let fileSizeMax = 512 << 20
    /// The sample rate at which an analyzer records, 4 MHz: ten samples per bit at 400 kHz.
    private static let sampleRate = "4m"

    /// Returns the path of sigrok-cli. Throws `ToolError` if the program is not installed.
    static func find() throws(ToolError) -> URL {
        if let program = InstalledProgram.find(name) { return program }
        throw ToolError(
            .toolMissing,
            "\(name), which reads logic analyzers and their captures, is not installed",
            advice: "on Debian and Ubuntu: sudo apt install sigrok-cli",
            "on macOS: brew install sigrok-cli")
    }

    /// Returns the output of the program, including its messages. Throws `ToolError` if the program
    /// takes too long or prints too much.
    static func output(of arguments: [String], about file: String) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = try find()
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        defer { process.end() }
        guard
            let bytes = InstalledProgram.output(
                of: pipe, within: readTimeMax, sizeMax: outputSizeMax)
        else {
            if let status = Interruption.status { throw ToolError(status, "interrupted") }
            throw ToolError(
                .badData,
                "\(file): too long: \(name) has not finished reading it within "
                    + "\(readTimeMax.secondsText), or has printed more than "
                    + "\(outputSizeMax >> 20) MB",
                advice: "record a few seconds at 4 MHz")
        }
        process.end(after: .milliseconds(5_000))
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Recording

    /// A recording in progress.
    struct Recording {
        fileprivate let process: Process
        fileprivate let messages: Pipe
        fileprivate let folder: URL

        fileprivate var file: URL { folder.appendingPathComponent("capture.sr") }
    }

    /// Begins to record two wires for a given time. Throws `ToolError`.
    static func record(from driver: String, _ wires: Wires, for time: Microseconds) throws
        -> Recording
    {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("bridge-\(UUID().uuidString)")
        let (process, pipe) = (Process(), Pipe())
        let recording = Recording(process: process, messages: pipe, folder: folder)
        process.executableURL = try find()
        process.arguments = [
            "-d", driver, "--config", "samplerate=\(sampleRate)", "--channels",
            "\(wires.clock),\(wires.data)", "--time", "\(time / 1_000)", "-o", recording.file.path,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try process.run()
        return recording
    }

    /// Waits for the end of a recording, and returns its contents. Throws `ToolError`.
    static func capture(of recording: Recording, _ wires: Wires, from driver: String) throws
        -> BusCapture
    {
        defer { discard(recording) }
        let text = InstalledProgram.output(of: recording.messages, within: readTimeMax)
        recording.process.end(after: .milliseconds(5_000))
        guard FileManager.default.fileExists(atPath: recording.file.path) else {
            throw ToolError(
                .noBoard,
                "the analyzer \(driver) has recorded nothing"
                    + reason(in: String(decoding: text ?? [], as: UTF8.self)),
                advice: "`sigrok-cli --scan` lists the connected analyzers with their drivers",
                "on Linux, install the udev rules of libsigrok, which permit its use")
        }
        return try BusCapture(recording.file.path, wires, calling: "the capture")
    }

    /// Ends a recording, and deletes it.
    static func discard(_ recording: Recording) {
        recording.process.end()
        try? FileManager.default.removeItem(at: recording.folder)
    }

    /// Returns the first message from sigrok-cli in parentheses; empty if there is no message.
    static func reason(in text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).first { $0.contains(": ") }
        return line.map { " (\(Self.printable($0.prefix(200))))" } ?? ""
    }

    /// Returns text without control characters, because the text may come from a file.
    static func printable(_ text: some StringProtocol) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { 0x20..<0x7F ~= $0.value }))
    }
}

/// The names of the channels that record the wires of a bus.
struct Wires: Equatable {
    var clock: String
    var data: String

    /// The inputs of an analyzer that record the wires if no channels are named.
    static let ofAnalyzer = Wires(clock: "D0", data: "D1")

    init(clock: String, data: String) { (self.clock, self.data) = (clock, data) }

    /// Creates the names from the value of an option; nil if the value is invalid.
    init?(_ text: String) {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let isPlain = names.allSatisfy { name in
            !name.isEmpty && name == LogicAnalyzer.printable(name)
                && !name.contains { ":= ".contains($0) }
        }
        guard names.count == 2, names[0] != names[1], isPlain else { return nil }
        self.init(clock: names[0], data: names[1])
    }

    /// Returns the channels of a capture that recorded the wires: the channels with the names of
    /// the wires, the first inputs of an analyzer, or the only two channels.
    init?(among channels: [String]) {
        func channel(_ name: String) -> String? {
            channels.first { $0.uppercased() == name }
        }
        if let clock = channel("SCL"), let data = channel("SDA") {
            self.init(clock: clock, data: data)
        } else if channels.contains(Self.ofAnalyzer.clock),
            channels.contains(Self.ofAnalyzer.data)
        {
            self = .ofAnalyzer
        } else if channels.count == 2, let wires = Wires(channels.joined(separator: ",")) {
            self = wires
        } else {
            return nil
        }
    }
}
