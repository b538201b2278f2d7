// CommandCheck: reports a misspelled command by name, and handles negative numbers on the command
// line.

import ArgumentParser
import JSONText
import ToolSupport

extension Bridge {
    /// Checks the words that name a command. Throws `ToolError` for an unknown command, because the
    /// parser would report such a command as a superfluous argument.
    static func check(_ arguments: [String]) throws(ToolError) {
        var command: any ParsableCommand.Type = Bridge.self
        var path = "bridge"
        for word in arguments where word != "help" {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, !word.hasPrefix("-") else { return }
            guard let next = commands.first(where: { name(of: $0) == word }) else {
                // The word is an argument of the default command.
                guard command.configuration.defaultSubcommand == nil else { return }
                let near = nearestName(to: word, among: commands.map(name))
                throw ToolError(
                    .usage, "there is no command `\(path) \(word)`",
                    advice: near.map { "did you mean `\(path) \($0)`?" }
                        ?? "`\(path) --help` lists the commands")
            }
            command = next
            path += " \(word)"
        }
    }

    /// Returns the arguments after moving every negative number that is not the value of an option
    /// behind `--`. The parser does not mistake a number after `--` for an option, so the command
    /// can report the valid range.
    static func withNegativeNumbers(_ arguments: [String]) -> [String] {
        guard !arguments.contains("--") else { return arguments }
        let numbers = arguments.indices.dropFirst().filter { index in
            let word = arguments[index]
            return word.hasPrefix("-") && Double(word) != nil
                && !arguments[index - 1].hasPrefix("-")
        }
        guard let first = numbers.first else { return arguments }
        let rest = arguments[first...].enumerated().filter { !numbers.contains(first + $0.offset) }
        return Array(arguments[..<first]) + rest.map(\.element) + ["--"]
            + numbers.map { arguments[$0] }
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }
}
