// What holds for every verb: help, usage, outputs.

import Foundation
import TestSupport
import Testing

@Suite struct CommandLineTests {
    let folder = Folder()

    @Test func theHelpHasATableOfEveryExitStatus() throws {
        let outcome = try Tool.bridge("--help")
        #expect(outcome.status == 0)
        for status in [0, 64, 65, 66, 69, 70, 73, 74, 75, 76, 77, 78, 129, 130, 143] {
            #expect(outcome.output.contains(" \(status)  "))
        }
    }

    @Test(arguments: ["play", "stop", "list", "info", "lint", "compile", "dump", "actuator"])
    func everyVerbHasHelp(verb: String) throws {
        let outcome = try Tool.bridge("help", verb)
        #expect(outcome.status == 0 && outcome.output.contains("USAGE: bridge \(verb)"))
    }

    @Test func theTraceOptionIsHidden() throws {
        #expect(try !Tool.bridge("help", "play").output.contains("--trace"))
        #expect(try Tool.bridge("play", "--help-hidden").output.contains("CLOCK_BOOTTIME"))
    }

    @Test(arguments: [
        ["fly"], ["play"], ["play", "--virtual", "--port", "/dev/null", "x"],
        ["compile", "x"], ["compile", "x", "y", "-o", "z"], ["lint", "-q", "-v", "x"],
        ["actuator", "set", "--virtual", "--kind", "lra", "--rated", "2", "--overdrive", "3"],
        ["actuator", "set", "--virtual", "--kind", "erm", "--rated", "3", "--overdrive", "2"],
        ["play", "--curve-times", "sideways", "x"],
    ])
    func aWrongCommandLineIsRefused(arguments: [String]) throws {
        #expect(try RunningTool(Tool.executable("bridge"), arguments).outcome().status == 64)
    }

    @Test func outputInAFileHasNoEscapeCodes() throws {
        let path = try folder.write("comma.ahap", Samples.trailingComma)
        for arguments in [["lint", path], ["play", "--virtual", path], ["--help"]] {
            let outcome = try RunningTool(Tool.executable("bridge"), arguments).outcome()
            #expect(!(outcome.output + outcome.errors).contains("\u{1B}"))
            #expect(!outcome.errors.contains("\r"))
        }
    }

    @Test func quietLeavesResultsOnly() throws {
        let path = try folder.write("comma.ahap", Samples.trailingComma)
        let outcome = try Tool.bridge("play", "--virtual", "--quiet", path)
        #expect(outcome.errors.isEmpty && outcome.output.contains("1 repair,"))
    }

    @Test func onATerminalColoursObeyNoColor() throws {
        let path = try folder.write("comma.ahap", Samples.trailingComma)
        func onTerminal(_ environment: [String: String]) throws -> String {
            let tool = Tool.executable("bridge").path
            return try TerminalRun("\(tool) lint \(path)", environment).output
        }
        guard TerminalRun.isPossible else { return }
        #expect(try onTerminal(["TERM": "xterm"]).contains("\u{1B}[33m"))
        #expect(try !onTerminal(["TERM": "xterm", "NO_COLOR": "1"]).contains("\u{1B}"))
        #expect(try !onTerminal(["TERM": "dumb"]).contains("\u{1B}"))
    }
}

/// Runs a command line on a terminal of its own, through script(1).
struct TerminalRun {
    let output: String

    private static let script = "/usr/bin/script"
    static var isPossible: Bool {
        #if os(Linux)
            FileManager.default.isExecutableFile(atPath: script)
        #else
            false
        #endif
    }

    init(_ command: String, _ environment: [String: String]) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: Self.script)
        process.arguments = ["-qec", command, "/dev/null"]
        process.environment = environment
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
    }
}
