// bridge: the command-line tool. This file is its root command and the way it ends.

import ArgumentParser

/// The root command.
@main
struct Bridge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridge",
        abstract: "Plays haptic patterns (AHAP) on actuators behind a microcontroller.",
        discussion: """
            Without a board:
              bridge play --virtual pattern.ahap

            With a board on USB, the port is found by itself:
              bridge flash --board uno
              bridge list
              bridge info
              bridge play pattern.ahap

            Another port is chosen with --port PATH or the environment variable BRIDGE_PORT. \
            Results go to standard output; progress and remarks go to standard error.

            EXIT STATUS
            \(ExitStatus.table)
            """,
        version: "1.0.0",
        subcommands: [
            Play.self, Stop.self, List.self, Info.self, Monitor.self, Doctor.self, Flash.self,
            Patterns.self, Actuator.self, Calibrate.self, Diagnose.self, Reset.self, Lint.self,
            Explain.self, Render.self, Compile.self, Dump.self,
        ])

    static func main() {
        Interruption.prepare()
        do {
            try check(Array(CommandLine.arguments.dropFirst()))
            var command = try parseAsRoot()
            try command.run()
        } catch let error as ToolError {
            if !error.message.isEmpty { Terminal.standardError.write(error.text + "\n") }
            end(error.status)
        } catch {
            exit(withError: error)
        }
    }
}
