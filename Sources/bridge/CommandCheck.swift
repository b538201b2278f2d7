// CommandCheck: a word that stands where a command stands and is none.

import ArgumentParser

extension Bridge {
    /// Follows the words that name a command. Throws `ToolError` for one that names none: the parser
    /// would take it for an argument too many.
    static func check(_ arguments: [String]) throws(ToolError) {
        var command: any ParsableCommand.Type = Bridge.self
        var path = "bridge"
        for word in arguments where word != "help" {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, !word.hasPrefix("-") else { return }
            guard let next = commands.first(where: { name(of: $0) == word }) else {
                let near = nearestName(to: word, among: commands.map(name))
                throw ToolError(
                    .usage, "there is no command `\(path) \(word)`",
                    advice: near.map { "did you mean `\(path) \($0)`?" }
                        ?? "`\(path) --help` lists those there are")
            }
            command = next
            path += " \(word)"
        }
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }
}
