// bridge: the command-line tool. This file contains the root command and the `main` function of the
// tool.

import ArgumentParser
import POSIX
import ToolSupport

/// The root command.
@main
struct Bridge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridge",
        abstract: "Plays haptic patterns (AHAP) on actuators that a microcontroller drives.",
        discussion: """
            Without a board:
              bridge play --virtual pattern.ahap

            With a board on USB, whose port is found automatically:
              bridge flash --board uno
              bridge list
              bridge info
              bridge play pattern.ahap

            Use --port PATH or the environment variable BRIDGE_PORT to choose another port. \
            Results are written to standard output, progress and warnings to standard error.

            EXIT STATUS
            \(ExitStatus.table)
            """,
        version: toolVersion,
        subcommands: [
            Play.self, Stop.self, Serve.self, Settings.self, Silence.self, List.self, Info.self,
            Audition.self, Studio.self, Monitor.self, Doctor.self, Flash.self,
            Accept.self, Patterns.self, Actuator.self, Calibrate.self, Diagnose.self, Measure.self,
            Fit.self,
            Reset.self, Lint.self,
            Explain.self, Render.self, Convert.self, Import.self, Compile.self, Dump.self,
        ])

    static func main() {
        Interruption.prepare()
        let status = run(Array(CommandLine.arguments.dropFirst()))
        Interruption.endIfInterrupted(status)
        endProcess(status)
    }

    /// Runs a command line and reports an error, if any. Returns the exit status.
    ///
    /// - Parameter perform: a closure that carries out the parsed command; by default, it calls
    ///   `run()`.
    static func run(
        _ arguments: [String],
        by perform: (inout any ParsableCommand) throws -> Void = { try $0.run() }
    ) -> Int32 {
        do {
            try check(arguments)
            var command = try parseAsRoot(withNegativeNumbers(arguments))
            try perform(&command)
            return ExitStatus.success.rawValue
        } catch let error as ToolError {
            return report(error)
        } catch {
            if let error = ToolError(ofLibraries: error) { return report(error) }
            let status = exitCode(for: error)
            let text = fullMessage(for: error)
            guard !text.isEmpty else { return status.rawValue }
            guard status.isSuccess else {
                Terminal.standardError.write(text + "\n")
                return status.rawValue
            }
            return writeHelp(text)
        }
    }

    private static func writeHelp(_ text: String) -> Int32 {
        let terminal = Terminal.standardOutput
        do {
            try terminal.write(Array(terminal.printable(text + "\n").utf8))
            return ExitStatus.success.rawValue
        } catch {
            return report(error)
        }
    }

    private static func report(_ error: ToolError) -> Int32 {
        if !error.message.isEmpty { Terminal.standardError.write(error.text + "\n") }
        return error.status.rawValue
    }
}

/// Calls `exit(3)`. Inside `Bridge`, a method of the same name hides the C function.
private func endProcess(_ status: Int32) -> Never { exit(status) }
